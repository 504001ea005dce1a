//! What strangers send to the HTTP listener.

use std::time::Duration;

use crate::http::{http, post};
use crate::support::{Program, RawClient};

const GOOD: &str = r#"{"policy":"mails","partition":"good"}"#;

fn still_answers(program: &Program) {
    let response = post(&mut program.client_of("http"), "/v1/peek", "", GOOD);
    assert_eq!(response.status, 200);
    assert!(!program.log().contains("a bug"), "{}", program.log());
}

#[test]
fn bodies_are_bounded() {
    let program = http();
    let mut client = program.client_of("http");
    client.send(
        "POST /v1/decide HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: 999999999999\r\n\r\n",
    );
    assert_eq!(client.response().status, 413);
    let mut client = program.client_of("http");
    client.send(
        "POST /v1/decide HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n",
    );
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for _ in 0..32 {
        if client.try_send(&chunk).is_err() {
            break;
        }
    }
    let many = vec![r#"{"policy":"mails"}"#; 10_000].join(",");
    let response = post(
        &mut program.client_of("http"),
        "/v1/decide",
        "",
        &format!("[{many}]"),
    );
    assert_eq!(response.status, 400);
    assert!(
        response.json()["detail"]
            .as_str()
            .unwrap()
            .contains("at most 1000 decisions")
    );
    for deep in ["[", "{\"decisions\":", "{\"request\":{\"headers\":{\"a\":["] {
        let response = post(
            &mut program.client_of("http"),
            "/v1/decide",
            "",
            &deep.repeat(20_000),
        );
        assert_eq!(response.status, 400);
    }
    still_answers(&program);
}

#[test]
fn what_is_no_http_ends_the_connection() {
    let program = http();
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"*1\r\n$4\r\nPING\r\n",
        b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
        b"POST /v1/decide HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
    ] {
        let mut client = program.client_of("http");
        client.send(bytes).finish();
        let told = client.rest();
        assert!(!told.windows(6).any(|part| part == b" 200 O"), "{bytes:?}");
    }
    let long = format!(
        "GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "a".repeat(200_000)
    );
    let mut client = program.client_of("http");
    let _ = client.try_send(long);
    client.rest();
    still_answers(&program);
}

#[test]
fn slow_senders_are_cut_off_and_idle_ones_too() {
    let program = Program::with_file(
        "[decide]\nhttp = \"127.0.0.1:0\"\nrequest_timeout = \"300ms\"\nidle_timeout = \"600ms\"\n\
         [policies.mails]\nquota = \"3/hour\"\n",
    );
    let begun = [
        "",
        "P",
        "POST /v1/decide HTTP/1.1\r\nhost: loc",
        "POST /v1/decide HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{\"policy\":",
    ];
    let mut clients: Vec<RawClient> = begun
        .iter()
        .map(|begun| {
            let mut client = program.client_of("http");
            client.send(begun);
            client
        })
        .collect();
    let mut idle = program.client_of("http");
    assert_eq!(idle.get("/healthz").status, 200);
    for (client, begun) in clients.iter_mut().zip(begun) {
        let told = String::from_utf8(client.rest()).unwrap();
        assert!(
            told.is_empty() || told.starts_with("HTTP/1.1 408 "),
            "{begun:?}: {told}"
        );
    }
    assert!(idle.has_ended());
    still_answers(&program);
}

#[test]
fn whoever_was_answered_may_be_idle() {
    let program = Program::with_file(
        "[decide]\nhttp = \"127.0.0.1:0\"\nrequest_timeout = \"200ms\"\n[policies.mails]\nquota = \"3/hour\"\n",
    );
    for target in ["/healthz", "/nowhere", "/v1/decide"] {
        let mut client = program.client_of("http");
        client.get(target);
        assert!(
            client.hears_nothing_for(Duration::from_millis(600)),
            "{target}"
        );
    }
}

#[test]
fn thousands_of_idle_connections_leave_the_service_alone() {
    let program = http();
    let mut idle: Vec<RawClient> = (0..2_000).map(|_| program.client_of("http")).collect();
    for client in idle.iter_mut().step_by(2) {
        client.send("POST /v1/decide HTTP/1.1\r\nhost: loc");
    }
    still_answers(&program);
    assert!(program.resident() < 120 << 20, "{}", program.resident());
}

#[test]
fn a_full_house_turns_connections_away() {
    let program = Program::with_file(
        "[decide]\nhttp = \"127.0.0.1:0\"\nmax_connections = 2\n[policies.mails]\nquota = \"3/hour\"\n",
    );
    let mut first = program.client_of("http");
    let mut second = program.client_of("http");
    assert_eq!(first.get("/healthz").status, 200);
    assert_eq!(second.get("/healthz").status, 200);
    assert!(program.client_of("http").has_ended());
    drop(first);
    aforo_servers::until("a seat", || {
        let mut client = program.client_of("http");
        let sent = client
            .try_send("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        sent.is_ok() && client.rest().starts_with(b"HTTP/1.1 200")
    });
    assert!(second.hears_nothing_for(Duration::from_millis(1)));
}
