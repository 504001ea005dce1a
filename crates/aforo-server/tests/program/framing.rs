//! Requests that are framed badly, on purpose or not.

use crate::support::{Program, Upstream};

fn gateway() -> (Upstream, Program) {
    let upstream = Upstream::new();
    let program = Program::before(upstream.address(), r#"["100000/minute"]"#);
    (upstream, program)
}

#[test]
fn two_lengths_that_differ_are_refused() {
    let (upstream, program) = gateway();
    let request =
        "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd";
    let mut client = program.client();
    assert_eq!(client.send(request).response().status, 400);
    assert!(client.has_ended(), "nothing after it is read");
    assert!(upstream.seen().is_empty());
}

#[test]
fn a_length_beside_chunks_smuggles_nothing() {
    let (upstream, program) = gateway();
    let orders = [
        "content-length: 6\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 6\r\n",
    ];
    for order in orders {
        let request = format!(
            "POST /outer HTTP/1.1\r\nhost: a\r\n{order}connection: close\r\n\r\n\
             0\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n"
        );
        let mut client = program.client();
        client.send(request);
        let _ = client.rest();
    }
    let targets: Vec<_> = upstream
        .seen()
        .into_iter()
        .map(|seen| seen.target)
        .collect();
    assert!(
        targets.iter().all(|target| target == "/outer"),
        "{targets:?}"
    );
}

#[test]
fn chunks_that_are_none_are_refused() {
    let (upstream, program) = gateway();
    let bad = [
        "transfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
        "transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "transfer-encoding : chunked\r\n\r\n0\r\n\r\n",
        "content-length: +3\r\n\r\nabc",
        "content-length: 3, 3\r\n\r\nabc",
        "content-length: 0x3\r\n\r\nabc",
        "x-folded: a\r\n b\r\n\r\n",
        "x-nul: a\0b\r\n\r\n",
    ];
    for fields in bad {
        let request = format!("POST / HTTP/1.1\r\nhost: a\r\n{fields}");
        let mut client = program.client();
        client.send(&request).finish();
        let response = client.response();
        assert_eq!(response.status, 400, "{request:?}");
    }
    assert!(upstream.seen().is_empty());
}

#[test]
fn a_chunk_size_that_overflows_ends_the_request() {
    let (upstream, program) = gateway();
    let mut client = program.client();
    client.send("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    client
        .send("fffffffffffffffff\r\nabc\r\n0\r\n\r\n")
        .finish();
    let answer = String::from_utf8_lossy(&client.rest()).into_owned();
    assert!(!answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(upstream.seen().is_empty());
    assert_eq!(program.client().get("/").status, 200);
}

#[test]
fn a_head_that_is_too_large_is_refused() {
    let (upstream, program) = gateway();
    let fields = format!("x-large: {}\r\n", "a".repeat(40_000));
    let mut client = program.client();
    let _ = client.try_send(format!("GET / HTTP/1.1\r\nhost: a\r\n{fields}\r\n"));
    let answer = String::from_utf8_lossy(&client.rest()).into_owned();
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431"),
        "{answer}"
    );
    assert!(upstream.seen().is_empty());
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let upstream = Upstream::answering(|seen| {
        use http_body_util::{BodyExt, Full};
        http::Response::new(Full::from(seen.target.clone()).boxed())
    });
    let program = Program::before(upstream.address(), r#"["1000/minute"]"#);
    let mut client = program.client();
    let requests: String = (0..20)
        .map(|number| format!("GET /{number} HTTP/1.1\r\nhost: a\r\n\r\n"))
        .collect();
    client.send(requests);
    for number in 0..20 {
        assert_eq!(client.response().body, format!("/{number}").as_bytes());
    }
}

/// A small generator, so that every run tries the same requests.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

#[test]
fn mangled_requests_harm_nobody() {
    let (_upstream, program) = gateway();
    let whole = b"POST /a/%7E/../b?x=1 HTTP/1.1\r\nhost: a.example\r\ncontent-type: text/plain\r\n\
                  transfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for _ in 0..400 {
        let mut request = whole.to_vec();
        for _ in 0..=dice.roll(4) {
            let at = dice.roll(request.len());
            match dice.roll(4) {
                0 => request[at] = dice.roll(256) as u8,
                1 => request.truncate(at.max(1)),
                2 => request.insert(at, b"\r\n:/%\0 \xff"[dice.roll(8)]),
                _ => drop(request.remove(at)),
            }
            if request.is_empty() {
                request.push(b' ');
            }
        }
        let mut client = program.client();
        let _ = client.try_send(&request);
        client.finish();
        let answer = client.rest();
        let is_http = answer.is_empty() || answer.starts_with(b"HTTP/1.");
        assert!(
            is_http,
            "{:?} for {:?}",
            answer.escape_ascii(),
            request.escape_ascii()
        );
        let is_bug = answer.starts_with(b"HTTP/1.1 500");
        assert!(!is_bug, "{:?}", request.escape_ascii().to_string());
    }
    assert_eq!(program.client().get("/").status, 200);
    let log = program.whole_log();
    assert!(!log.contains("a bug"), "{log}");
}
