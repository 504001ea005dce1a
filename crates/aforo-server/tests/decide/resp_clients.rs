//! redis-cli, redis-benchmark (Debian: redis-tools).

use std::process::Command;

use crate::redis;

#[test]
fn redis_cli_asks_in_both_protocols() {
    let program = redis();
    let port = program.service("resp").port().to_string();
    let ask = |options: &[&str]| {
        let output = Command::new("redis-cli")
            .args(["-p", &port])
            .args(options)
            .output()
            .expect("redis-cli of Debian's redis-tools");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(ask(&["PING"]), "PONG\n");
    let throttle = ["CL.THROTTLE", "user123", "15", "30", "60"];
    assert_eq!(ask(&throttle), "0\n16\n15\n-1\n2\n");
    let with_3 = ["-3", "CL.THROTTLE", "user124", "15", "30", "60"];
    assert_eq!(ask(&with_3), "0\n16\n15\n-1\n2\n");
}

#[test]
fn redis_benchmark_runs() {
    let program = redis();
    let port = program.service("resp").port().to_string();
    for pipeline in ["1", "32"] {
        let output = Command::new("redis-benchmark")
            .args([
                "-p", &port, "-c", "20", "-n", "2000", "-P", pipeline, "-q", "-r", "100",
            ])
            .args(["CL.THROTTLE", "key:__rand_int__", "15", "30", "60"])
            .output()
            .expect("redis-benchmark of Debian's redis-tools");
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("requests per second"), "{said}");
    }
}
