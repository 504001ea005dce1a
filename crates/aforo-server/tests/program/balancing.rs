//! Several upstreams.

use std::net::TcpListener;

use crate::support::{Program, Upstream};

fn gateway(upstreams: &[String]) -> Program {
    Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = {upstreams:?}\n\n\
         [plans.anonymous]\npolicies = [\"1000/minute\"]\n"
    ))
}

/// An address where nobody listens.
fn dead() -> String {
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    format!("http://{address}")
}

#[test]
fn requests_are_spread_over_all() {
    let upstreams = [Upstream::new(), Upstream::new(), Upstream::new()];
    let urls = upstreams
        .each_ref()
        .map(|up| format!("http://{}", up.address()));
    let program = gateway(&urls);
    let mut client = program.client();
    for _ in 0..30 {
        assert_eq!(client.get("/").status, 200);
    }
    for upstream in &upstreams {
        assert_eq!(upstream.seen().len(), 10);
    }
}

#[test]
fn a_dead_one_is_passed_over_and_no_caller_notices() {
    let alive = Upstream::new();
    let program = gateway(&[dead(), format!("http://{}", alive.address())]);
    let mut client = program.client();
    for _ in 0..20 {
        client.send("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc");
        assert_eq!(client.response().status, 200);
    }
    let seen = alive.seen();
    assert_eq!(seen.len(), 20);
    assert!(seen.iter().all(|seen| &seen.body[..] == b"abc"));
}

#[test]
fn none_alive_is_a_502() {
    let program = gateway(&[dead(), dead()]);
    let mut client = program.client();
    assert_eq!(client.get("/").status, 502);
    assert_eq!(
        client.get("/").status,
        502,
        "and it stays one, on the same connection"
    );
}

#[test]
fn a_base_path_is_put_before_the_path() {
    let upstream = Upstream::new();
    let program = gateway(&[format!("http://{}/base/", upstream.address())]);
    assert_eq!(program.client().get("/a?b").status, 200);
    assert_eq!(upstream.seen()[0].target, "/base/a?b");
}
