//! `CL.THROTTLE`: what redis-cell's documentation shows.

use std::time::Duration;

use crate::support::RawClient;
use crate::{redis, says};

/// The five integers of an answer.
fn throttle(client: &mut RawClient, arguments: &str) -> [i64; 5] {
    at_once(client, &[arguments])[0]
}

/// The same for several that are decided in one moment.
fn at_once(client: &mut RawClient, commands: &[&str]) -> Vec<[i64; 5]> {
    let sent = commands
        .iter()
        .map(|arguments| format!("CL.THROTTLE {arguments}\r\n"));
    client.send(sent.collect::<String>());
    let answers = commands.iter().map(|_| {
        assert_eq!(client.until(b"\r\n"), b"*5\r\n");
        [(); 5].map(|()| {
            let line = String::from_utf8(client.until(b"\r\n")).unwrap();
            line.strip_prefix(':').unwrap().trim().parse().unwrap()
        })
    });
    answers.collect()
}

#[test]
fn the_documented_example() {
    let program = redis();
    let mut client = program.client_of("resp");
    // A burst of 15, 30 in 60 seconds: 0 limited, 16 at once, 15 left, no wait, 2 s until full.
    says(
        &mut client,
        "CL.THROTTLE user123 15 30 60 1\r\n",
        "*5\r\n:0\r\n:16\r\n:15\r\n:-1\r\n:2\r\n",
    );
    assert_eq!(throttle(&mut client, "other 15 30 60"), [0, 16, 15, -1, 2]);
}

#[test]
fn a_full_bucket_says_when_to_come_back_and_keeps_its_word() {
    let program = redis();
    let mut client = program.client_of("resp");
    // The last one would fit after a second, rounded up: redis-cell says 0 here.
    assert_eq!(
        at_once(&mut client, &["key 1 2 2"; 3]),
        [[0, 2, 1, -1, 1], [0, 2, 0, -1, 2], [1, 2, 0, 1, 2]]
    );
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(throttle(&mut client, "key 1 2 2")[0], 0);
}

#[test]
fn rl_12_sub_second_wait_is_rounded_up() {
    let program = redis();
    let mut client = program.client_of("resp");
    assert_eq!(
        at_once(&mut client, &["key 0 10 1"; 2]),
        [[0, 1, 0, -1, 1], [1, 1, 0, 1, 1]]
    );
}

#[test]
fn a_quantity_is_taken_whole_or_not_at_all() {
    let program = redis();
    let mut client = program.client_of("resp");
    assert_eq!(
        throttle(&mut client, "key 9 1 3600 7"),
        [0, 10, 3, -1, 25_200]
    );
    let denied = throttle(&mut client, "key 9 1 3600 4");
    assert_eq!(denied[..3], [1, 10, 3]);
    assert!((3_590..=3_600).contains(&denied[3]), "{denied:?}");
    assert_eq!(throttle(&mut client, "key 9 1 3600 3")[..3], [0, 10, 0]);
    // Nothing is looked at and taken.
    assert_eq!(throttle(&mut client, "key 9 1 3600 0")[..4], [0, 10, 0, -1]);
    // More than ever fits: waiting does not help.
    assert_eq!(
        throttle(&mut client, "key 9 1 3600 11")[..4],
        [1, 10, 0, -1]
    );
}

#[test]
fn a_key_keeps_what_it_took_when_its_quota_changes() {
    let program = redis();
    let mut client = program.client_of("resp");
    assert_eq!(throttle(&mut client, "key 9 1 3600 8")[..3], [0, 10, 2]);
    assert_eq!(throttle(&mut client, "key 19 1 3600 1")[..3], [0, 20, 11]);
    assert_eq!(throttle(&mut client, "key 4 1 3600 1")[..3], [1, 5, 0]);
    assert_eq!(throttle(&mut client, "other 4 1 3600 1")[..3], [0, 5, 4]);
}

#[test]
fn wrong_numbers_are_said_and_take_nothing() {
    let program = redis();
    let mut client = program.client_of("resp");
    for (arguments, expected) in [
        (
            "key",
            "ERR expected CL.THROTTLE key max_burst count period [quantity]",
        ),
        (
            "key 1 1 1 1 1",
            "ERR expected CL.THROTTLE key max_burst count period [quantity]",
        ),
        (
            "key -1 1 1",
            "ERR expected max_burst, an integer of 0 or more",
        ),
        (
            "key x 1 1",
            "ERR expected max_burst, an integer of 0 or more",
        ),
        ("key 1 0 1", "ERR expected count, an integer of 1 or more"),
        (
            "key 1 1 0",
            "ERR expected period, an integer of 1 or more seconds",
        ),
        (
            "key 1 1 1.5",
            "ERR expected period, an integer of 1 or more seconds",
        ),
        (
            "key 1 1 1 -1",
            "ERR expected quantity, an integer of 0 or more",
        ),
        (
            "key 9223372036854775807 9223372036854775807 9223372036854775807",
            "ERR this quota cannot be counted exactly: smaller numbers, a period of at most 400 days",
        ),
    ] {
        let sent = format!("CL.THROTTLE {arguments}\r\n");
        says(&mut client, &sent, &format!("-{expected}\r\n"));
    }
    assert_eq!(throttle(&mut client, "key 1 1 3600"), [0, 2, 1, -1, 3600]);
}
