//! All threads share one limiter.

use std::thread;

use crate::support::{Program, Upstream};

#[test]
fn rlx_24_new_connections_meet_the_same_counters() {
    let upstream = Upstream::new();
    let program = Program::before(upstream.address(), r#"["2/hour fixed-window"]"#);
    let statuses: Vec<_> = (0..10).map(|_| program.client().get("/").status).collect();
    assert_eq!(statuses, [200, 200, 429, 429, 429, 429, 429, 429, 429, 429]);
}

#[test]
fn many_connections_at_once_get_no_unit_too_many() {
    let upstream = Upstream::new();
    let program = Program::before(upstream.address(), r#"["100/hour fixed-window"]"#);
    let passed: usize = thread::scope(|scope| {
        let workers: Vec<_> = (0..16)
            .map(|_| {
                let mut client = program.client();
                scope.spawn(move || (0..25).filter(|_| client.get("/").status == 200).count())
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    });
    assert_eq!(passed, 100);
    assert_eq!(upstream.seen().len(), 100);
}

#[test]
fn a_request_is_held_for_its_slot_and_an_absent_caller_frees_it() {
    let upstream = Upstream::new();
    let program = Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"http://{}\"]\n\n\
         [plans.anonymous]\npolicies = [{{ quota = \"5/second leaky-bucket\", max_delay = \"200ms\" }}]\n",
        upstream.address()
    ));
    assert_eq!(program.client().get("/").status, 200);
    let mut held = program.client();
    held.send("GET /held HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!(held.response().status, 200, "after its turn has come");
    assert_eq!(upstream.seen().len(), 2);
}
