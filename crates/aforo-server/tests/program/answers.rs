//! Answers of upstreams, byte by byte: well framed ones pass, others harm nobody.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use crate::support::{Program, RawResponse, RawUpstream};

const PLENTY: &str = r#"["100000/minute"]"#;

/// Reads the head of a request; `None` at the end of the connection.
fn head(stream: &mut TcpStream) -> Option<String> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        if !matches!(stream.read(&mut byte), Ok(1)) {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

/// Answers each request of each connection with these bytes; tells how many connections came.
fn answering(answer: &'static [u8], ends: bool) -> (RawUpstream, Arc<AtomicUsize>) {
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    let upstream = RawUpstream::new(move |mut stream| {
        count.fetch_add(1, SeqCst);
        while head(&mut stream).is_some() {
            let _ = stream.write_all(answer);
            if ends {
                return;
            }
        }
    });
    (upstream, connections)
}

fn asked(answer: &'static [u8], ends: bool) -> RawResponse {
    let (upstream, _) = answering(answer, ends);
    let program = Program::before(upstream.address(), PLENTY);
    program.client().get("/")
}

#[test]
fn an_answer_ends_by_its_length_its_chunks_or_its_connection() {
    let length = asked(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false);
    assert_eq!(length.body, b"hello");
    let chunks = asked(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
        false,
    );
    assert_eq!(chunks.body, b"hello");
    assert_eq!(asked(b"HTTP/1.1 200 OK\r\n\r\nhello", true).body, b"hello");
    assert_eq!(asked(b"HTTP/1.0 200 OK\r\n\r\nhello", true).body, b"hello");
    assert_eq!(
        asked(
            b"HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n",
            false
        )
        .status,
        304
    );
}

#[test]
fn an_answer_that_can_be_read_in_two_ways_is_a_502() {
    for answer in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"[..],
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\ncontent-length: 5, 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ncontent-length: +5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nx-folded: a\r\n b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nx-space : a\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
        b"ICY 200 OK\r\n\r\n",
    ] {
        let response = asked(answer, false);
        assert_eq!(response.status, 502, "{}", answer.escape_ascii());
    }
}

#[test]
fn bytes_after_an_answer_are_nobodys_answer() {
    let (upstream, connections) = answering(
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok\
          HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil",
        false,
    );
    let program = Program::before(upstream.address(), PLENTY);
    let mut client = program.client();
    for _ in 0..20 {
        assert_eq!(client.get("/").body, b"ok");
    }
    assert_eq!(connections.load(SeqCst), 20, "no connection is used again");
}

#[test]
fn an_answer_that_comes_byte_by_byte_passes_whole_on_one_connection() {
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    let upstream = RawUpstream::new(move |mut stream| {
        count.fetch_add(1, SeqCst);
        stream.set_nodelay(true).unwrap();
        while head(&mut stream).is_some() {
            let answer = b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n\
                           HTTP/1.1 200 Splendid\r\ntransfer-encoding: chunked\r\nx-end: 1\r\n\r\n\
                           A\r\n0123456789\r\n1\r\n!\r\n0\r\nx-sum: 11\r\n\r\n";
            for byte in answer {
                let _ = stream.write_all(&[*byte]);
            }
        }
    });
    let program = Program::before(upstream.address(), PLENTY);
    for _ in 0..20 {
        let response = program.client().get("/");
        assert_eq!(response.status, 200);
        assert!(
            response.head.starts_with("HTTP/1.1 200 Splendid\r\n"),
            "{}",
            response.head
        );
        assert_eq!(response.field("x-end"), Some("1"));
        assert_eq!(response.field("link"), None);
        assert_eq!(response.body, b"0123456789!");
    }
    let workers = std::thread::available_parallelism().unwrap().get();
    assert!(connections.load(SeqCst) <= workers, "each worker has one");
}

#[test]
fn a_request_that_may_have_arrived_is_sent_again_only_when_that_does_no_harm() {
    let posts = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&posts);
    let upstream = RawUpstream::new(move |mut stream| {
        // Answers once, and closes without a word when it has read another request.
        for answer in [&b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"[..], b""] {
            let Some(head) = head(&mut stream) else {
                return;
            };
            if head.starts_with("POST ") {
                count.fetch_add(1, SeqCst);
            }
            let _ = stream.write_all(answer);
        }
    });
    let program = Program::before(upstream.address(), PLENTY);
    let mut client = program.client();
    for _ in 0..10 {
        assert_eq!(client.get("/").status, 200);
    }
    // Every other request meets a connection that is about to be closed.
    let first = client.ask("POST", "/", "content-length: 0\r\n").status;
    let second = client.ask("POST", "/", "content-length: 0\r\n").status;
    assert!(
        matches!((first, second), (502, 200) | (200, 502)),
        "{first}, {second}"
    );
    assert_eq!(posts.load(SeqCst), 2, "neither is sent twice");
}
