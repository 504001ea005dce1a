//! RL-40: connections that change protocols.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::{Program, RawUpstream};

const UPGRADE: &str = "GET /ws HTTP/1.1\r\nhost: a\r\nconnection: keep-alive, Upgrade\r\n\
                       upgrade: websocket\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                       sec-websocket-version: 13\r\n\r\n";

/// Changes to a protocol that sends back what it gets; counts how often.
fn echoing(upgrades: Arc<AtomicU32>) -> RawUpstream {
    RawUpstream::new(move |mut stream: TcpStream| {
        let head = read_head(&mut stream);
        let wants = head.contains("upgrade: websocket\r\n") && head.contains("connection: upgrade");
        if !wants {
            let _ = stream.write_all(b"HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\n\r\n");
            return;
        }
        upgrades.fetch_add(1, Ordering::SeqCst);
        let switch = "HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\n\
                      upgrade: websocket\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
        stream.write_all(switch.as_bytes()).unwrap();
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            if stream.write_all(&buffer[..read]).is_err() {
                return;
            }
        }
    })
}

fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap().to_lowercase()
}

#[test]
fn rl_40_frames_pass_both_ways_and_a_denied_upgrade_gets_its_429_first() {
    let upgrades = Arc::new(AtomicU32::new(0));
    let upstream = echoing(Arc::clone(&upgrades));
    let program = Program::before(upstream.address(), r#"["3/hour fixed-window"]"#);
    assert_eq!(
        program.client().get("/ws").status,
        426,
        "a plain GET is no upgrade"
    );

    let mut open = [program.client(), program.client()];
    for client in &mut open {
        let head = client.send(UPGRADE).head();
        assert_eq!(head.status, 101);
        assert_eq!(head.field("upgrade"), Some("websocket"));
        assert_eq!(
            head.field("sec-websocket-accept"),
            Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        );
    }
    for number in 0..100_usize {
        for client in &mut open {
            let frame = vec![number as u8; 1 + number * 37];
            assert_eq!(client.send(&frame).exactly(frame.len()), frame);
        }
    }

    let mut denied = program.client();
    denied.send(UPGRADE);
    let response = denied.response();
    assert_eq!(response.status, 429);
    assert!(response.field("retry-after").is_some());
    assert_eq!(upgrades.load(Ordering::SeqCst), 2);

    open[0].finish();
    assert!(open[0].has_ended(), "the end passes too");
    assert_eq!(open[1].send("still").exactly(5), b"still");
}

#[test]
fn an_upgrade_that_the_upstream_refuses_leaves_a_usable_connection() {
    let upstream = RawUpstream::new(|mut stream: TcpStream| {
        while read_head(&mut stream).ends_with("\r\n\r\n") {
            let _ = stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno");
        }
    });
    let program = Program::before(upstream.address(), r#"["100/minute"]"#);
    let mut client = program.client();
    client.send(UPGRADE);
    let response = client.response();
    assert_eq!((response.status, response.field("upgrade")), (403, None));
    assert_eq!(client.get("/").status, 403);
}

#[test]
fn a_change_of_protocols_that_nobody_asked_for_is_a_502() {
    let upstream = RawUpstream::new(|mut stream: TcpStream| {
        read_head(&mut stream);
        let _ = stream.write_all(
            b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
        );
    });
    let program = Program::before(upstream.address(), r#"["100/minute"]"#);
    assert_eq!(program.client().get("/").status, 502);
}
