//! What nobody should send: a clean error, a closed connection, bounded memory.

use std::thread;
use std::time::Duration;

use crate::support::{Program, RawClient};
use crate::{redis, says};

/// Sends what ends the connection; what it was told.
fn last_words(program: &Program, sent: &[u8]) -> String {
    let mut client = program.client_of("resp");
    let _ = client.try_send(sent);
    String::from_utf8(client.rest()).unwrap()
}

#[test]
fn broken_input_is_told_why_and_cut_off() {
    let program = redis();
    for (sent, expected) in [
        (&b"*x\r\n"[..], "expected *COUNT of arguments"),
        (b"*1000000000\r\n", "too many arguments, at most 16"),
        (
            b"*1\r\n$1000000000\r\n",
            "expected $LENGTH, 0 to 16384 bytes",
        ),
        (b"*1\r\n$-1\r\n", "expected $LENGTH, 0 to 16384 bytes"),
        (
            b"*1\r\n*1\r\n*1\r\n*1\r\n",
            "expected a bulk string, $LENGTH",
        ),
        (b"*1\r\n$1\r\nabc", "an argument is longer than its length"),
        (b"\x16\x03\x01\x02\x00", "expected a command"),
        (b"\xff\xfe\r\n", "expected a command"),
    ] {
        let told = last_words(&program, sent);
        assert_eq!(
            told,
            format!("-ERR Protocol error: {expected}\r\n"),
            "{sent:?}"
        );
    }
    let line = vec![b'a'; 100_000];
    let told = last_words(&program, &line);
    assert_eq!(
        told,
        "-ERR Protocol error: too long a line, at most 4096 bytes\r\n"
    );
    let mut frame = b"*16\r\n".to_vec();
    for _ in 0..16 {
        frame.extend_from_slice(b"$16384\r\n");
        frame.resize(frame.len() + 16_384, b'a');
        frame.extend_from_slice(b"\r\n");
    }
    let told = last_words(&program, &frame);
    assert_eq!(
        told,
        "-ERR Protocol error: too large, at most 32768 bytes\r\n"
    );
    says(&mut program.client_of("resp"), "PING\r\n", "+PONG\r\n");
}

#[test]
fn keys_are_any_bytes() {
    let program = redis();
    let mut client = program.client_of("resp");
    let mut sent =
        b"*5\r\n$11\r\nCL.THROTTLE\r\n$4\r\n\xff\x00\r\n\r\n$1\r\n1\r\n$1\r\n1\r\n$2\r\n60\r\n"
            .to_vec();
    client.send(&sent);
    assert_eq!(client.exactly(21), b"*5\r\n:0\r\n:2\r\n:1\r\n:-1\r\n");
    client.until(b"\r\n");
    // The name of a policy is never such bytes.
    sent = b"*3\r\n$12\r\nAFORO.DECIDE\r\n$1\r\n\xff\r\n$1\r\na\r\n".to_vec();
    client.send(&sent);
    assert_eq!(
        client.until(b"\r\n"),
        b"-ERR there is no such policy; name it in [policies]\r\n"
    );
    client.send(b"\x66\xff\r\n");
    assert!(client.until(b"\r\n").starts_with(b"-ERR unknown command"));
}

#[test]
fn a_browser_is_told_nothing() {
    let program = redis();
    for sent in [
        "POST / HTTP/1.1\r\nHost: localhost:6380\r\n\r\nCL.THROTTLE a 1 1 1\r\n",
        "GET /?CL.THROTTLE HTTP/1.1\r\n\r\n",
        "PING\r\nHost: localhost\r\nCL.THROTTLE a 1 1 1\r\n",
    ] {
        let told = last_words(&program, sent.as_bytes());
        assert!(!told.contains('*') && !told.contains("ERR"), "{told:?}");
    }
}

#[test]
fn half_a_command_and_silence_are_cut_off() {
    let program = Program::with_file(
        "[decide]\nresp = \"127.0.0.1:0\"\nrequest_timeout = \"200ms\"\nidle_timeout = \"20s\"\n",
    );
    let mut slow = program.client_of("resp");
    slow.send("*2\r\n$4\r\nPING\r\n$100\r\n");
    let mut pieces = 0;
    while slow.try_send("a").is_ok() {
        pieces += 1;
        assert!(pieces < 90, "it may be as slow as it likes");
        thread::sleep(Duration::from_millis(20));
    }
    let mut idle = program.client_of("resp");
    thread::sleep(Duration::from_millis(600));
    says(&mut idle, "PING\r\n", "+PONG\r\n");
}

#[test]
fn an_idle_connection_is_closed_and_a_busy_one_is_not() {
    let program = Program::with_file("[decide]\nresp = \"127.0.0.1:0\"\nidle_timeout = \"1s\"\n");
    let mut client = program.client_of("resp");
    for _ in 0..20 {
        says(&mut client, "PING\r\n", "+PONG\r\n");
        thread::sleep(Duration::from_millis(100));
    }
    assert!(client.has_ended());
}

#[test]
fn a_client_that_does_not_read_holds_little_memory() {
    let program = redis();
    let before = program.resident();
    let mut client = program.client_of("resp");
    let commands = "COMMAND\r\n".repeat(100_000);
    // It blocks when nobody reads the answers any more.
    thread::spawn(move || {
        let _ = client.try_send(&commands);
        thread::sleep(Duration::from_secs(30));
        drop(client);
    });
    thread::sleep(Duration::from_millis(500));
    says(&mut program.client_of("resp"), "PING\r\n", "+PONG\r\n");
    let grown = program.resident().saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes");
}

#[test]
fn so_many_connections_and_no_more() {
    let program = Program::with_file("[decide]\nresp = \"127.0.0.1:0\"\nmax_connections = 2\n");
    let mut held = [program.client_of("resp"), program.client_of("resp")];
    for client in &mut held {
        says(client, "PING\r\n", "+PONG\r\n");
    }
    assert!(program.client_of("resp").has_ended());
    drop(held);
    let again = (0..200).any(|_| {
        let mut client = program.client_of("resp");
        let sent = client.try_send("PING\r\nQUIT\r\n").is_ok();
        sent && client.rest() == b"+PONG\r\n+OK\r\n"
    });
    assert!(again, "places are not given back");
}

#[test]
fn many_idle_connections_cost_little() {
    let program = redis();
    says(&mut program.client_of("resp"), "PING\r\n", "+PONG\r\n");
    let before = program.resident();
    let idle: Vec<RawClient> = (0..400)
        .map(|_| {
            let mut client = program.client_of("resp");
            says(&mut client, "PING\r\n", "+PONG\r\n");
            client
        })
        .collect();
    let each = program.resident().saturating_sub(before) / 400;
    // A debug build; code that is run for the first time counts too.
    assert!(each < 32 * 1024, "{each} bytes per connection");
    drop(idle);
}
