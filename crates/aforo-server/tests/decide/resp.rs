//! The other commands, and how they travel.

use crate::support::Program;
use crate::{redis, says};

const POLICIES: &str = "[decide]\nresp = \"127.0.0.1:0\"\n\n\
     [policies.exports]\nquota = \"100/day fixed-window\"\n\n\
     [policies.nothing]\nquota = \"0/day\"\n\n\
     [policies.all]\nquota = \"unlimited\"\n";

#[test]
fn a_policy_of_the_file_is_decided_by_name() {
    let program = Program::with_file(POLICIES);
    let mut client = program.client_of("resp");
    let five = |client: &mut crate::support::RawClient, sent: &str| {
        client.send(format!("{sent}\r\n"));
        client.until(b"\r\n");
        [(); 5].map(|()| {
            let line = String::from_utf8(client.until(b"\r\n")).unwrap();
            line[1..].trim().parse::<i64>().unwrap()
        })
    };
    assert_eq!(
        five(&mut client, "AFORO.DECIDE exports acme 40")[..4],
        [0, 100, 60, -1]
    );
    let denied = five(&mut client, "aforo.decide exports acme 70");
    assert_eq!(denied[..3], [1, 100, 60]);
    assert!((1..=86_400).contains(&denied[3]), "{denied:?}");
    assert_eq!(
        five(&mut client, "AFORO.DECIDE exports globex")[..3],
        [0, 100, 99]
    );
    assert_eq!(
        five(&mut client, "AFORO.DECIDE exports acme 101")[..4],
        [1, 100, 60, -1]
    );
    assert_eq!(
        five(&mut client, "AFORO.DECIDE nothing acme"),
        [1, 0, 0, -1, -1]
    );
    assert_eq!(
        five(&mut client, "AFORO.DECIDE all acme"),
        [0, -1, -1, -1, -1]
    );
    says(
        &mut client,
        "AFORO.DECIDE imports acme\r\n",
        "-ERR there is no such policy; name it in [policies]\r\n",
    );
    says(
        &mut client,
        "AFORO.DECIDE exports acme -1\r\n",
        "-ERR expected cost, an integer of 0 or more\r\n",
    );
}

#[test]
fn commands_of_both_protocols_and_lines() {
    let program = redis();
    let mut client = program.client_of("resp");
    says(&mut client, "PING\r\n", "+PONG\r\n");
    says(&mut client, "*1\r\n$4\r\nping\r\n", "+PONG\r\n");
    says(
        &mut client,
        "*2\r\n$4\r\nPING\r\n$3\r\na\r\n\r\n",
        "$3\r\na\r\n\r\n",
    );
    says(&mut client, "\r\n*0\r\nPING\n", "+PONG\r\n");
    says(&mut client, "COMMAND COUNT\r\n", ":8\r\n");
    says(&mut client, "COMMAND INFO nothing\r\n", "*1\r\n*-1\r\n");
    says(
        &mut client,
        "HELLO 4\r\n",
        "-NOPROTO expected HELLO 2 or HELLO 3\r\n",
    );
    says(
        &mut client,
        "HELLO 2\r\n",
        "*12\r\n$6\r\nserver\r\n$5\r\naforo\r\n",
    );
    client.until(b"$7\r\nmodules\r\n*0\r\n");
    says(
        &mut client,
        "HELLO 3 SETNAME me\r\n",
        "%6\r\n$6\r\nserver\r\n$5\r\naforo\r\n",
    );
    client.until(b"$7\r\nmodules\r\n*0\r\n");
    says(&mut client, "COMMAND INFO nothing\r\n", "*1\r\n_\r\n");
    says(&mut client, "COMMAND DOCS\r\n", "%0\r\n");
    client.send("FLUSHALL\r\n");
    assert!(client.until(b"\r\n").starts_with(b"-ERR unknown command"));
    client.send("INFO\r\n");
    client.until(b"server:aforo\r\n");
    client.until(b"redis_mode:standalone\r\n\r\n");
    says(&mut client, "QUIT\r\nPING\r\n", "+OK\r\n");
    assert!(client.has_ended());
}

#[test]
fn what_is_sent_at_once_is_answered_in_order() {
    let program = redis();
    let mut client = program.client_of("resp");
    let mut sent = String::new();
    let mut expected = String::new();
    for left in (0..5000).rev() {
        sent.push_str(
            "*5\r\n$11\r\nCL.THROTTLE\r\n$3\r\nkey\r\n$4\r\n4999\r\n$1\r\n1\r\n$8\r\n31536000\r\n",
        );
        expected.push_str(&format!(":{left}\r\n"));
    }
    client.send(&sent);
    for line in expected.lines() {
        assert_eq!(client.until(b"\r\n"), b"*5\r\n");
        assert_eq!(client.until(b"\r\n"), b":0\r\n");
        assert_eq!(client.until(b"\r\n"), b":5000\r\n");
        assert_eq!(client.until(b"\r\n"), format!("{line}\r\n").as_bytes());
        client.until(b"\r\n");
        client.until(b"\r\n");
    }
}

#[test]
fn a_command_in_pieces_is_one_command() {
    let program = redis();
    let mut client = program.client_of("resp");
    for byte in "*2\r\n$4\r\nPING\r\n$5\r\nhello\r\n".bytes() {
        client.send([byte]);
    }
    assert_eq!(client.exactly(11), b"$5\r\nhello\r\n");
}

#[test]
fn connections_share_one_quota() {
    let program = redis();
    let (mut one, mut two) = (program.client_of("resp"), program.client_of("resp"));
    let said = "CL.THROTTLE key 1 1 3600\r\n";
    says(&mut one, said, "*5\r\n:0\r\n:2\r\n:1\r\n");
    says(&mut two, said, "*5\r\n:0\r\n:2\r\n:0\r\n");
    one.until(b":3600\r\n");
    says(&mut one, said, "*5\r\n:1\r\n:2\r\n:0\r\n");
}

#[test]
fn the_service_stops_when_it_is_told_to() {
    let mut program = redis();
    let mut client = program.client_of("resp");
    says(&mut client, "PING\r\n", "+PONG\r\n");
    program.terminate();
    assert!(program.ended().success());
    assert!(client.has_ended());
}
