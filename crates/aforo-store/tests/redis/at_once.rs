//! Many requests at once, from several processes.

use std::env;
use std::io::{BufRead, BufReader, Lines, Write, stdin};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use aforo_servers::{Redis, Sentinels};
use aforo_store::{RedisStore, Remote};

use crate::leases;
use crate::scene::{at_once, caller, fixed, hash, seconds, terms};
use crate::stage::{self, CLUSTER, SINGLE};

/// Another process with a store of its own.
struct Instance {
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

const URL: &str = "AFORO_TEST_URL";

impl Instance {
    fn start(url: &str) -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .args([
                "--ignored",
                "--nocapture",
                "--exact",
                "at_once::an_instance",
            ])
            .env(URL, url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: process.stdin.take().unwrap(),
            output: BufReader::new(process.stdout.take().unwrap()).lines(),
            process,
        }
    }

    /// Has it send so many requests of a caller at once.
    fn send(&mut self, caller: &str, count: usize) {
        writeln!(self.input, "{caller} {count}").unwrap();
    }

    /// How many of them were taken.
    fn taken(&mut self) -> usize {
        loop {
            let line = self.output.next().unwrap().unwrap();
            if let Some((_, taken)) = line.split_once("taken ") {
                return taken.trim().parse().unwrap();
            }
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What the other process does: reads callers and counts, tells what was taken.
#[test]
#[ignore = "is the other process of the tests here"]
fn an_instance() {
    let Ok(url) = env::var(URL) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let remote = Remote {
        namespace: "at-once".to_owned(),
        timeout: Duration::from_secs(20),
        ..Remote::new(url, hash("secret").0 as u64)
    };
    let store = Arc::new(RedisStore::open(&remote).unwrap());
    let policy = terms("policy", fixed(10, seconds(86_400)));
    for line in stdin().lines() {
        let line = line.unwrap();
        let (name, count) = line.rsplit_once(' ').unwrap();
        let count = count.parse().unwrap();
        let hits = runtime.block_on(at_once(&store, &policy, caller(name), count));
        let taken = hits.iter().filter(|hit| matches!(hit, Ok(true))).count();
        println!("taken {taken}");
    }
}

fn exactly_the_quota_from_two_processes(url: &str) {
    let (mut one, mut other) = (Instance::start(url), Instance::start(url));
    for round in 0..200 {
        let cold = format!("cold-{round}");
        one.send(&cold, 13);
        other.send(&cold, 12);
        assert_eq!(one.taken() + other.taken(), 10, "round {round}");

        let primed = format!("primed-{round}");
        one.send(&primed, 9);
        assert_eq!(one.taken(), 9, "round {round}");
        one.send(&primed, 5);
        other.send(&primed, 5);
        assert_eq!(one.taken() + other.taken(), 1, "round {round}");
    }
}

#[test]
fn rl_04_two_processes_take_exactly_the_quota() {
    exactly_the_quota_from_two_processes(&SINGLE.url());
    SINGLE.every_key_ends();
}

#[test]
fn rl_04_two_processes_take_exactly_the_quota_of_a_cluster() {
    exactly_the_quota_from_two_processes(&CLUSTER.url());
    CLUSTER.every_key_ends();
}

/// A killed master may have acknowledged up to a quota that it had not handed on; every other
/// caller gets exactly its quota, before and after, in both processes, without a restart.
#[test]
fn rl_04_two_processes_take_the_quota_once_across_a_failover() {
    let mut sentinels = Sentinels::start();
    let (mut one, mut other) = (
        Instance::start(&sentinels.url()),
        Instance::start(&sentinels.url()),
    );
    let mut round = |name: &str, between: &mut dyn FnMut()| {
        one.send(name, 13);
        other.send(name, 12);
        between();
        one.taken() + other.taken()
    };
    for number in 0..20 {
        assert_eq!(round(&format!("before {number}"), &mut || ()), 10);
    }
    let spanning = round("spanning", &mut || sentinels.servers_mut()[0].kill());
    assert!(spanning <= 20, "{spanning}");
    let (mut in_a_row, mut after) = (0, 0);
    while in_a_row < 20 {
        let taken = round(&format!("after {after}"), &mut || ());
        assert!(taken <= 10, "{taken} after the failover");
        in_a_row = if taken == 10 { in_a_row + 1 } else { 0 };
        after += 1;
        if taken == 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(after < 5_000, "no failover");
    }
    let spanned = round("spanning", &mut || ());
    println!("across the failover {spanning} and {spanned} units of one quota of 10");
    assert!(spanning + spanned <= 20);
    sentinels.servers()[1].every_key_ends();
}

#[test]
fn instances_with_leases_stay_within_their_bound() {
    let server = Redis::start();
    stage::block_on(leases::hold(
        |remote| Arc::new(RedisStore::open(remote).unwrap()),
        &stage::remote(server.url()),
    ));
    server.every_key_ends();
}
