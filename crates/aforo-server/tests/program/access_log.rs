//! A real site's traffic, replayed through the gateway.

use std::collections::HashMap;
use std::path::PathBuf;
use std::thread;

use crate::support::{Program, Upstream};

const CONNECTIONS: usize = 32;
const QUOTA: usize = 50;

/// A line of the log: who asked for what.
struct Line {
    address: String,
    method: String,
    target: String,
}

fn path() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("AFORO_SHARED").map_or_else(beside, PathBuf::from);
    shared.join("data/access-2015.log")
}

/// Apache's combined format: `ADDRESS - - [TIME] "METHOD TARGET VERSION" …`.
fn lines() -> Vec<Line> {
    let path = path();
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}; set AFORO_SHARED", path.display()));
    text.lines()
        .map(|line| {
            let request = line.split('"').nth(1).unwrap();
            let mut words = request.split(' ');
            Line {
                address: line.split(' ').next().unwrap().to_owned(),
                method: words.next().unwrap().to_owned(),
                target: words.next().unwrap().to_owned(),
            }
        })
        .collect()
}

/// The window begins with each address's first request, so that a midnight within the test makes
/// no difference.
#[test]
fn each_address_of_the_log_gets_its_quota_and_not_one_request_more() {
    let upstream = Upstream::new();
    let program = Program::with_file(&format!(
        r#"
        [gateway]
        listen = "127.0.0.1:0"
        upstream = ["http://{}"]

        [identity]
        trusted_proxies = ["loopback"]

        [paths]
        encoded_slash = "keep"

        [plans.anonymous]
        policies = ["@visits"]

        [policies.visits]
        quota = "{QUOTA}/day fixed-window"
        window = "first-hit"
        partition_by = ["client_ip"]
        "#,
        upstream.address()
    ));
    let lines = lines();
    assert_eq!(lines.len(), 10_000);
    let answers = replayed(&program, &lines);

    let mut asked: HashMap<&str, usize> = HashMap::new();
    for line in &lines {
        *asked.entry(&line.address).or_default() += 1;
    }
    for (address, asked) in &asked {
        let answers = &answers[*address];
        let passed = asked.min(&QUOTA);
        assert_eq!(
            answers.get(&200).copied().unwrap_or(0),
            *passed,
            "{address}"
        );
        assert_eq!(
            answers.get(&429).copied().unwrap_or(0),
            asked - passed,
            "{address}"
        );
    }
    let passed: usize = asked.values().map(|asked| asked.min(&QUOTA)).sum();
    assert_eq!(
        upstream.seen().len(),
        passed,
        "what passed has arrived, nothing else"
    );
}

/// How often each address got each status.
fn replayed(program: &Program, lines: &[Line]) -> HashMap<String, HashMap<u16, usize>> {
    let mut answers: HashMap<String, HashMap<u16, usize>> = HashMap::new();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..CONNECTIONS)
            .map(|first| {
                let share = lines.iter().skip(first).step_by(CONNECTIONS);
                scope.spawn(move || {
                    let mut client = program.client();
                    share
                        .map(|line| {
                            let who = format!("x-forwarded-for: {}\r\n", line.address);
                            let response = client.ask(&line.method, &line.target, &who);
                            (line.address.clone(), response.status)
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        for (address, status) in workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
        {
            *answers
                .entry(address)
                .or_default()
                .entry(status)
                .or_default() += 1;
        }
    });
    answers
}
