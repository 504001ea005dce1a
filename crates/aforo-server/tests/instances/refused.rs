//! A store that cannot be reached or does not let us in.

use aforo_servers::{Redis, free_port};

use crate::scene::instance;

#[test]
fn rl_10_nobody_sees_a_store_that_is_not_there() {
    let closed = format!("redis://127.0.0.1:{}", free_port());
    let nameless = "redis://no-such-host.invalid:6379".to_owned();
    let locked = Redis::start();
    let refusing = format!("redis://nobody:hunter2@127.0.0.1:{}", locked.port());
    for url in [closed, nameless, refusing] {
        let store = format!("url = \"{url}\"\non_store_failure = \"allow\"");
        let program = instance("\"2/day fixed-window\"", &store);
        let mut client = program.client();
        for _ in 0..3 {
            let response = client.get("/");
            assert_eq!(response.status, 200, "{url}");
            let head = response.head.to_lowercase();
            assert!(!head.contains("ratelimit"), "{url}: {head}");
        }
        let log = program.log();
        assert_eq!(log.matches("the store fails").count(), 1, "{url}: {log}");
        assert!(log.contains("store=\"default\""), "{url}: {log}");
        assert!(!log.contains("hunter2"), "{url}: {log}");
    }
}

#[test]
fn rl_10_with_deny_the_answer_is_a_503_that_says_why() {
    let url = format!("redis://127.0.0.1:{}", free_port());
    let store = format!("url = \"{url}\"\non_store_failure = \"deny\"");
    let program = instance("\"2/day fixed-window\"", &store);
    let response = program.client().get("/");
    assert_eq!(response.status, 503);
    let body = String::from_utf8(response.body).unwrap();
    assert!(body.contains("temporary-reduced-capacity"), "{body}");
    assert!(!body.contains("redis"), "{body}");
}
