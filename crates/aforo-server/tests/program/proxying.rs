//! What passes the gateway, and what does not.

use http::Response;
use http_body_util::{BodyExt, Full};

use crate::support::{Program, RawUpstream, Upstream};
use std::io::{Read, Write};

const PLENTY: &str = r#"["1000/minute"]"#;

#[test]
fn method_target_fields_and_body_pass_and_hop_by_hop_fields_do_not() {
    let upstream = Upstream::new();
    let program = Program::before(upstream.address(), PLENTY);
    let mut client = program.client();
    client.send(
        "PATCH /a/b?c=d%20e HTTP/1.1\r\nhost: api.example\r\ncontent-length: 3\r\n\
         connection: keep-alive, x-hop\r\nx-hop: 1\r\nkeep-alive: timeout=9\r\n\
         proxy-authorization: Basic eA==\r\nproxy-connection: keep-alive\r\n\
         x-end: one\r\nx-end: two\r\n\r\nxyz",
    );
    let response = client.response();
    assert_eq!(response.status, 200);
    assert_eq!(response.body, b"hello");

    let seen = &upstream.seen()[0];
    assert_eq!(seen.method, "PATCH");
    assert_eq!(seen.target, "/a/b?c=d%20e");
    assert_eq!(&seen.body[..], b"xyz");
    assert_eq!(seen.headers["host"], "api.example");
    assert_eq!(seen.headers["content-length"], "3");
    let ends: Vec<_> = seen.headers.get_all("x-end").iter().collect();
    assert_eq!(ends, ["one", "two"]);
    for hop in [
        "connection",
        "x-hop",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
    ] {
        assert!(!seen.headers.contains_key(hop), "{hop}");
    }
}

#[test]
fn a_response_loses_its_hop_by_hop_fields_and_keeps_the_rest() {
    let upstream = Upstream::answering(|_| {
        Response::builder()
            .status(201)
            .header("connection", "x-hop")
            .header("x-hop", "1")
            .header("set-cookie", "a=1")
            .header("set-cookie", "b=2")
            .body(Full::from("made").boxed())
            .unwrap()
    });
    let program = Program::before(upstream.address(), PLENTY);
    let response = program.client().get("/");
    assert_eq!(response.status, 201);
    assert_eq!(response.fields("set-cookie"), ["a=1", "b=2"]);
    assert_eq!(response.field("x-hop"), None);
    assert_eq!(response.body, b"made");
}

#[test]
fn forged_forwarding_fields_are_rewritten() {
    let upstream = Upstream::new();
    let program = Program::before(upstream.address(), PLENTY);
    let forged = "x-forwarded-for: 203.0.113.1\r\nx-forwarded-proto: https\r\n\
                  x-forwarded-host: evil.example\r\nforwarded: for=203.0.113.1;proto=https\r\n";
    program.client().ask("GET", "/", forged);
    let seen = &upstream.seen()[0].headers;
    let all: Vec<_> = seen.get_all("x-forwarded-for").iter().collect();
    assert_eq!(all, ["127.0.0.1"]);
    assert_eq!(seen["x-forwarded-proto"], "http");
    assert_eq!(seen["x-forwarded-host"], "api.example");
    for field in seen.get_all("forwarded") {
        assert!(
            !field.to_str().unwrap().contains("203.0.113.1"),
            "{field:?}"
        );
    }
}

#[test]
fn the_hosts_that_a_request_names_are_one() {
    let upstream = Upstream::new();
    let program = Program::before(upstream.address(), PLENTY);
    let asked = |request: &str| program.client().send(request).response().status;
    assert_eq!(asked("GET / HTTP/1.1\r\n\r\n"), 400);
    assert_eq!(asked("GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"), 400);
    assert_eq!(
        asked("GET http://b.example/x HTTP/1.1\r\nhost: a.example\r\n\r\n"),
        200
    );
    assert_eq!(asked("GET /old HTTP/1.0\r\n\r\n"), 200);
    let seen = upstream.seen();
    assert_eq!(seen[0].target, "/x");
    assert_eq!(seen[0].headers["host"], "b.example");
    assert_eq!(seen[1].headers["host"], upstream.address().to_string());
}

#[test]
fn connect_is_refused() {
    let upstream = Upstream::new();
    let program = Program::before(upstream.address(), PLENTY);
    let connect = "CONNECT db.internal:5432 HTTP/1.1\r\nhost: db.internal:5432\r\n\r\n";
    let response = program.client().send(connect).response();
    assert_eq!(response.status, 405);
    assert!(upstream.seen().is_empty());
}

#[test]
fn head_and_empty_answers_keep_the_connection_in_step() {
    let upstream = Upstream::answering(|seen| {
        let status = if seen.target == "/none" { 204 } else { 200 };
        let body = if status == 204 { "" } else { "hello" };
        Response::builder()
            .status(status)
            .body(Full::from(body).boxed())
            .unwrap()
    });
    let program = Program::before(upstream.address(), PLENTY);
    let mut client = program.client();
    let head = client.ask("HEAD", "/", "");
    assert_eq!(
        (head.status, head.field("content-length")),
        (200, Some("5"))
    );
    assert_eq!(client.get("/none").status, 204);
    assert_eq!(client.get("/").body, b"hello");
}

#[test]
fn an_upstream_that_breaks_off_before_its_head_is_a_502_without_internals() {
    let upstream = RawUpstream::new(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
    });
    let program = Program::before(upstream.address(), PLENTY);
    let response = program.client().get("/");
    assert_eq!(response.status, 502);
    assert_eq!(
        response.field("content-type"),
        Some("application/problem+json")
    );
    let body = String::from_utf8(response.body.clone()).unwrap();
    assert!(
        !body.contains("127.0.0.1") && !body.contains("hyper"),
        "{body}"
    );
    assert_eq!(response.json()["status"], 502);
}

#[test]
fn an_upstream_that_dies_within_a_body_does_not_look_complete() {
    let upstream = RawUpstream::new(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n0123456789");
    });
    let program = Program::before(upstream.address(), PLENTY);
    let mut client = program.client();
    client.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    let head = client.head();
    assert_eq!(head.field("content-length"), Some("100"));
    assert_eq!(client.rest(), b"0123456789");

    let chunked = RawUpstream::new(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let answer = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n01234\r\n";
        let _ = stream.write_all(answer);
    });
    let program = Program::before(chunked.address(), PLENTY);
    let mut client = program.client();
    client.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    client.head();
    assert_eq!(client.rest(), b"5\r\n01234\r\n", "no last chunk");
}

#[test]
fn an_upstream_that_does_not_answer_is_a_504() {
    let upstream = RawUpstream::new(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.read(&mut [0; 1024]);
    });
    let program = Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"http://{}\"]\n\
         response_timeout = \"200ms\"\n[plans.anonymous]\npolicies = [\"100/minute\"]\n",
        upstream.address()
    ));
    let response = program.client().get("/");
    assert_eq!(response.status, 504);
    assert_eq!(response.json()["status"], 504);
}

#[test]
fn connections_that_the_upstream_closes_at_will_harm_no_get() {
    let upstream = RawUpstream::new(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
    let program = Program::before(upstream.address(), PLENTY);
    let mut client = program.client();
    for _ in 0..50 {
        // Closed after each answer; the gateway has seen it or finds out when it sends.
        let response = client.get("/");
        assert_eq!(response.status, 200, "{}", response.head);
    }
}

#[test]
fn rl_51_limit_fields_of_the_upstream_are_not_doubled() {
    let upstream = Upstream::answering(|seen| {
        let status = if seen.target == "/full" { 429 } else { 200 };
        Response::builder()
            .status(status)
            .header("x-ratelimit-limit", "1000")
            .header("x-ratelimit-remaining", "999")
            .header("retry-after", "7")
            .body(Full::from("hello").boxed())
            .unwrap()
    });
    let program = Program::before(upstream.address(), r#"["10/minute"]"#);
    let response = program.client().get("/");
    assert_eq!(response.status, 200);
    // `field` fails when there are several.
    assert_eq!(response.field("x-ratelimit-limit"), Some("10"));
    assert_eq!(response.field("x-ratelimit-remaining"), Some("9"));
    let full = program.client().get("/full");
    assert_eq!(full.status, 429);
    assert_eq!(full.field("retry-after"), Some("7"));
}
