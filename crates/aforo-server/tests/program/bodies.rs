//! RL-43: bodies pass as they come, whole and unbuffered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response};
use http_body::Frame;
use http_body_util::{BodyExt, Full};
use tokio::sync::Mutex;
use tokio::sync::mpsc::unbounded_channel;

use crate::support::{Program, Upstream, stream_of};

const PLENTY: &str = r#"["1000/minute"]"#;
const MIB: usize = 1024 * 1024;

/// Bytes of which no piece repeats soon.
fn pattern(length: usize) -> Vec<u8> {
    (0..length as u64)
        .map(|at| (at.wrapping_mul(0x9E37_79B9) >> 11) as u8)
        .collect()
}

#[test]
fn rl_43_an_upload_of_18_mib_arrives_byte_for_byte() {
    let upstream = Upstream::new();
    let program = Program::before(upstream.address(), PLENTY);
    let body = pattern(18 * MIB);
    let mut client = program.client();
    client.send(format!(
        "PUT /a HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n",
        body.len()
    ));
    client.send(&body);
    assert_eq!(client.response().status, 200);
    let seen = &upstream.seen()[0];
    assert_eq!(seen.headers["content-length"], body.len().to_string());
    assert!(seen.body == body, "the bytes differ");
}

#[test]
fn rl_43_a_stalled_reader_costs_no_memory_and_loses_nothing() {
    const LENGTH: usize = 64 * MIB;
    const PIECE: usize = 64 * 1024;
    let sent = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&sent);
    let upstream = Upstream::serving(move |_| {
        let count = Arc::clone(&count);
        let piece = Bytes::from(pattern(PIECE));
        let next = move || {
            let at = count.fetch_add(PIECE as u64, Ordering::SeqCst);
            let piece = (at < LENGTH as u64).then(|| Frame::data(piece.clone()));
            async move { piece }
        };
        async move {
            let mut response = Response::new(stream_of(next));
            response
                .headers_mut()
                .insert("content-length", LENGTH.into());
            response
        }
    });
    let program = Program::before(upstream.address(), PLENTY);
    assert_eq!(program.client().ask("HEAD", "/", "").status, 200);
    sent.store(0, Ordering::SeqCst);
    let before = program.resident();
    let mut client = program.client();
    client.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    client.head();
    let piece = pattern(PIECE);
    assert!(client.exactly(PIECE) == piece);
    // The reader stalls: the upstream is slowed down until it stands still.
    let mut still = 0;
    while still < 20 {
        let before = sent.load(Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(10));
        still = if sent.load(Ordering::SeqCst) == before {
            still + 1
        } else {
            0
        };
    }
    assert!(
        sent.load(Ordering::SeqCst) < LENGTH as u64 / 2,
        "nothing slows the upstream down"
    );
    let grown = program.resident().saturating_sub(before);
    assert!(grown < 8 * MIB as u64, "{grown} bytes more");
    for _ in 1..LENGTH / PIECE {
        assert!(client.exactly(PIECE) == piece, "the bytes differ");
    }
    let grown = program.resident().saturating_sub(before);
    assert!(grown < 8 * MIB as u64, "{grown} bytes more");
    sent.store(0, Ordering::SeqCst);
    let next = client.ask("HEAD", "/", "");
    assert_eq!(next.status, 200, "the connection is in step");
}

#[test]
fn rl_43_an_event_arrives_before_the_next_is_sent() {
    let (send, receive) = unbounded_channel::<&'static str>();
    let receive = Arc::new(Mutex::new(receive));
    let upstream = Upstream::serving(move |_| {
        let receive = Arc::clone(&receive);
        let next = move || {
            let receive = Arc::clone(&receive);
            async move {
                let event = receive.lock().await.recv().await?;
                Some(Frame::data(Bytes::from(event)))
            }
        };
        async move {
            Response::builder()
                .header("content-type", "text/event-stream")
                .body(stream_of(next))
                .unwrap()
        }
    });
    let program = Program::before(upstream.address(), PLENTY);
    let mut client = program.client();
    client.send("GET /events HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!(
        client.head().field("content-type"),
        Some("text/event-stream")
    );
    for event in ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"] {
        // Only when one has come is the next sent: a buffer on the way would wait forever.
        send.send(event).unwrap();
        assert_eq!(client.chunk(), event.as_bytes());
    }
    drop(send);
    assert_eq!(client.chunk(), b"");
}

#[test]
fn rl_43_a_full_caller_is_told_before_it_sends_its_body() {
    let upstream = Upstream::new();
    let program = Program::before(upstream.address(), r#"["1/hour fixed-window"]"#);
    let head = "PUT /a HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n";
    let mut client = program.client();
    client.send(head);
    assert_eq!(client.head().status, 100);
    client.send("hello");
    assert_eq!(client.response().status, 200);
    let seen = &upstream.seen()[0];
    assert_eq!(&seen.body[..], b"hello");
    assert!(!seen.headers.contains_key("expect"));

    let mut full = program.client();
    full.send(head);
    assert_eq!(full.head().status, 429, "no 100 before it");
    assert_eq!(upstream.seen().len(), 1);
}

#[test]
fn trailers_pass_both_ways() {
    let upstream = Upstream::answering(|_| {
        let mut trailers = HeaderMap::new();
        trailers.insert("x-sum", HeaderValue::from_static("42"));
        let mut frames = vec![Frame::trailers(trailers), Frame::data("hello".into())];
        Response::builder()
            .header("trailer", "x-sum")
            .body(stream_of(move || std::future::ready(frames.pop())))
            .unwrap()
    });
    let program = Program::before(upstream.address(), PLENTY);
    let mut client = program.client();
    client.send(
        "POST / HTTP/1.1\r\nhost: a\r\nte: trailers\r\nconnection: te\r\n\
         trailer: x-check\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx-check: 7\r\n\r\n",
    );
    let head = client.head();
    assert_eq!(head.field("transfer-encoding"), Some("chunked"));
    assert_eq!(client.chunk(), b"hello");
    assert_eq!(client.chunk(), b"");
    assert_eq!(client.until(b"\r\n\r\n"), b"x-sum: 42\r\n\r\n");
    let seen = &upstream.seen()[0];
    assert_eq!(&seen.body[..], b"abc");
    assert_eq!(seen.trailers.as_ref().unwrap()["x-check"], "7");
}

#[test]
fn an_early_answer_passes_and_the_rest_of_the_upload_too() {
    let upstream = Upstream::serving(|request| async {
        // Answers at once and goes on reading.
        tokio::spawn(request.into_body().collect());
        let body = Full::from("too early").boxed();
        Response::builder().status(413).body(body).unwrap()
    });
    let program = Program::before(upstream.address(), PLENTY);
    let mut client = program.client();
    let length = 4 * MIB;
    client.send(format!(
        "PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\n\r\n"
    ));
    client.send(vec![0; MIB]);
    assert_eq!(client.response().status, 413);
    client.send(vec![0; length - MIB]);
    assert_eq!(client.get("/").status, 413, "the connection is in step");
}
