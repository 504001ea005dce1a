//! `redis-cli`, as the example says it.

use std::process::Command;

use crate::support::Program;

fn asked(program: &Program, words: &[&str]) -> Vec<i64> {
    let port = program.service("resp").port().to_string();
    let output = Command::new("redis-cli")
        .args(["-p", &port])
        .args(words)
        .output();
    let output = output.expect("redis-cli is missing: run scripts/test install");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| line.trim_start_matches("(integer) ").parse().unwrap())
        .collect()
}

#[test]
fn redis_cli_is_told_how_long_to_wait() {
    let text = include_str!("../../../../examples/redis-cli/aforo.toml");
    let program = Program::with_file(&text.replace("127.0.0.1:6380", "127.0.0.1:0"));
    for left in [2, 1, 0] {
        let told = asked(&program, &["AFORO.DECIDE", "exports", "ana"]);
        assert_eq!(told[..3], [0, 3, left], "{told:?}");
    }
    let told = asked(&program, &["AFORO.DECIDE", "exports", "ana"]);
    assert_eq!((told[0], told[2]), (1, 0), "{told:?}");
    assert!((1..=20).contains(&told[3]), "{told:?}");
    assert_eq!(asked(&program, &["AFORO.DECIDE", "exports", "eve"])[0], 0);
    assert_eq!(
        asked(&program, &["CL.THROTTLE", "user123", "15", "30", "60"])[..3],
        [0, 16, 15]
    );
}
