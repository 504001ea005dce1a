//! Connections: how long they may be slow or idle, how many there may be.

use std::io::Read;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::support::{Program, RawUpstream, Upstream};

fn gateway(upstream: &Upstream, settings: &str) -> Program {
    Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"http://{}\"]\n{settings}\n\n\
         [plans.anonymous]\npolicies = [\"1000/minute\"]\n",
        upstream.address()
    ))
}

#[test]
fn a_head_that_trickles_in_is_cut_off() {
    let upstream = Upstream::new();
    let program = gateway(&upstream, "header_timeout = \"300ms\"");
    for first in ["", "GET / HTTP/1.1\r\nhost: a\r\n\r\n"] {
        let mut client = program.client();
        if !first.is_empty() {
            client.send(first);
            assert_eq!(client.response().status, 200);
        }
        client.send("GET /slow HTTP/1.1\r\nhost: a\r\nx-slow: ");
        let mut pieces = 0;
        // Each byte moves something, and none of them helps.
        while client.try_send("a").is_ok() {
            pieces += 1;
            assert!(pieces < 100, "it may be as slow as it likes");
            thread::sleep(Duration::from_millis(20));
        }
        assert!(client.has_ended());
    }
    assert!(upstream.seen().iter().all(|seen| seen.target == "/"));
}

#[test]
fn a_connection_that_says_nothing_is_closed() {
    let upstream = Upstream::new();
    let program = gateway(&upstream, "header_timeout = \"200ms\"");
    assert!(program.client().has_ended());
}

#[test]
fn an_idle_connection_is_closed_and_a_busy_one_is_not() {
    let upstream = Upstream::new();
    let program = gateway(&upstream, "idle_timeout = \"300ms\"");
    let mut client = program.client();
    for _ in 0..8 {
        assert_eq!(client.get("/").status, 200);
        thread::sleep(Duration::from_millis(50));
    }
    assert!(client.has_ended());
}

#[test]
fn a_body_that_never_comes_is_given_up() {
    let upstream = Upstream::new();
    let program = gateway(&upstream, "idle_timeout = \"300ms\"");
    let mut client = program.client();
    client.send("PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc");
    let answer = client.rest();
    assert!(!answer.starts_with(b"HTTP/1.1 200"));
    assert!(upstream.seen().is_empty());
}

#[test]
fn a_client_that_leaves_leaves_no_request_behind() {
    for request in [
        "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
        "PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc",
    ] {
        let (asked, was_asked) = mpsc::channel();
        let (ended, has_ended) = mpsc::channel();
        let upstream = RawUpstream::new(move |mut stream| {
            let mut first = [0];
            let _ = stream.read_exact(&mut first);
            let _ = asked.send(());
            // Never answers; ends when the gateway gives up.
            let _ = stream.read_to_end(&mut Vec::new());
            let _ = ended.send(());
        });
        let program = Program::before(upstream.address(), r#"["1000/minute"]"#);
        let mut client = program.client();
        client.send(request);
        was_asked.recv_timeout(Duration::from_secs(5)).unwrap();
        assert!(client.hears_nothing_for(Duration::from_millis(100)));
        drop(client);
        has_ended.recv_timeout(Duration::from_secs(5)).unwrap();
    }
}

#[test]
fn a_client_may_ask_again_before_it_is_answered() {
    let upstream = Upstream::answering(|seen| {
        use http_body_util::{BodyExt, Full};
        thread::sleep(Duration::from_millis(200));
        http::Response::new(Full::from(seen.target.clone()).boxed())
    });
    let program = Program::before(upstream.address(), r#"["1000/minute"]"#);
    let mut client = program.client();
    client.send("GET /one HTTP/1.1\r\nhost: a\r\n\r\n");
    assert!(client.hears_nothing_for(Duration::from_millis(50)));
    client.send("PUT /two HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\na");
    assert_eq!(client.response().body, b"/one");
    client.send("bc");
    assert_eq!(client.response().body, b"/two");
}

#[test]
fn one_address_may_hold_so_many_connections_and_no_more() {
    let upstream = Upstream::new();
    let program = gateway(&upstream, "max_connections_per_address = 2");
    let mut held = [program.client(), program.client()];
    for client in &mut held {
        assert_eq!(client.get("/").status, 200);
    }
    let mut third = program.client();
    let answer = third.rest();
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 503"));
    assert_eq!(
        program.client_from("127.0.0.2").get("/").status,
        200,
        "others are free"
    );
    for client in &mut held {
        assert_eq!(
            client.get("/").status,
            200,
            "and those that are open stay so"
        );
    }
    drop(held);
    served_again(&program);
}

#[test]
fn all_together_may_hold_so_many_connections_and_no_more() {
    let upstream = Upstream::new();
    let program = gateway(&upstream, "max_connections = 1");
    let mut held = program.client();
    assert_eq!(held.get("/").status, 200);
    let answer = program.client_from("127.0.0.2").rest();
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 503"));
    drop(held);
    served_again(&program);
}

/// A place is free again as soon as the gateway has noticed that its holder left.
fn served_again(program: &Program) {
    for _ in 0..200 {
        let mut client = program.client();
        let sent = client.try_send("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        if sent.is_ok() && client.rest().starts_with(b"HTTP/1.1 200") {
            return;
        }
    }
    panic!("places are not given back");
}
