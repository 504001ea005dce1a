//! All threads share one limiter.

use std::time::Duration;

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
fn a_request_is_held_for_its_slot() {
    let upstream = Upstream::new();
    let program = Program::with_file(&leaky("5/second", "200ms", &upstream));
    assert_eq!(program.client().get("/").status, 200);
    assert_eq!(program.client().get("/held").status, 200, "after its turn");
    assert_eq!(upstream.seen().len(), 2);
}

#[test]
fn a_caller_that_leaves_gives_its_slot_to_the_next() {
    let upstream = Upstream::new();
    let program = Program::with_file(&leaky("6/minute", "10s", &upstream));
    let asks = || {
        let mut client = program.client();
        client.send("GET /held HTTP/1.1\r\nhost: a\r\n\r\n");
        client
    };
    assert_eq!(program.client().get("/").status, 200);
    let mut held = asks();
    assert!(held.hears_nothing_for(Duration::from_millis(300)));
    assert_eq!(asks().response().status, 429, "the one slot is taken");
    drop(held);
    let next_is_held = (0..20).any(|_| asks().hears_nothing_for(Duration::from_millis(300)));
    assert!(next_is_held, "the slot was not given back");
    assert_eq!(upstream.seen().len(), 1, "nobody's turn has come");
}

fn leaky(quota: &str, max_delay: &str, upstream: &Upstream) -> String {
    format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"http://{}\"]\n\n\
         [plans.anonymous]\n\
         policies = [{{ quota = \"{quota} leaky-bucket\", max_delay = \"{max_delay}\" }}]\n",
        upstream.address()
    )
}
