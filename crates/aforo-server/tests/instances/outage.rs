//! A real Redis that freezes, dies and comes back.

use std::thread;
use std::time::Duration;

use aforo_servers::Redis;

use crate::scene::{at_once, counts_again, instance, passed, statuses, timed};

/// How much later than its timeout an answer may be: other tests share the cores.
const MARGIN: Duration = Duration::from_millis(450);
const TIMEOUT: Duration = Duration::from_millis(50);
const PROBE: Duration = Duration::from_secs(1);

fn store(redis: &Redis, setting: &str) -> String {
    format!(
        "url = \"{}\"\ntimeout = \"50ms\"\non_store_failure = \"{setting}\"\ninstances = 3",
        redis.url()
    )
}

#[test]
fn rl_03_a_frozen_redis_holds_nobody_longer_than_its_timeout() {
    for (setting, expected) in [("allow", 200), ("deny", 503)] {
        let redis = Redis::start();
        let program = instance("\"500/day fixed-window\"", &store(&redis, setting));
        assert_eq!(timed(&program).0, 200);
        redis.freeze();
        for (status, took) in at_once(&[&program], 100) {
            assert_eq!(status, expected, "{setting}");
            assert!(took < TIMEOUT + MARGIN, "{setting}: {took:?}");
        }
        redis.thaw();
        let took = counts_again(&program);
        assert!(took < PROBE + MARGIN, "{setting}: {took:?}");
    }
}

#[test]
fn rl_03_with_local_a_frozen_redis_leaves_a_share() {
    let redis = Redis::start();
    let program = instance("\"12/day fixed-window\"", &store(&redis, "local"));
    redis.freeze();
    let answers = at_once(&[&program], 100);
    assert!(answers.iter().all(|(_, took)| *took < TIMEOUT + MARGIN));
    assert_eq!(passed(answers.into_iter().map(|(status, _)| status)), 4);
    redis.thaw();
    assert!(counts_again(&program) < PROBE + MARGIN);
}

#[test]
fn rlx_31_a_frozen_redis_is_asked_five_times_then_once_a_second() {
    let redis = Redis::start();
    let program = instance("\"500/day fixed-window\"", &store(&redis, "allow"));
    assert_eq!(timed(&program).0, 200);
    redis.freeze();
    let took: Vec<Duration> = (0..20).map(|_| timed(&program).1).collect();
    assert!(took[..5].iter().all(|took| *took >= TIMEOUT), "{took:?}");
    let rest: Duration = took[5..].iter().sum();
    assert!(rest < TIMEOUT * 5, "fifteen that do not wait: {took:?}");
    thread::sleep(PROBE);
    let took: Vec<Duration> = (0..10).map(|_| timed(&program).1).collect();
    let waited = took.iter().filter(|took| **took >= TIMEOUT).count();
    assert_eq!(waited, 1, "one probe: {took:?}");
    redis.thaw();
    assert!(counts_again(&program) < PROBE + MARGIN);
}

#[test]
fn a_redis_that_is_killed_and_started_again_counts_again() {
    let mut redis = Redis::start();
    let program = instance("\"3/day fixed-window\"", &store(&redis, "allow"));
    assert_eq!(statuses(&program, 1), [200]);
    redis.kill();
    assert_eq!(statuses(&program, 50), [200; 50]);
    redis.restart();
    assert!(counts_again(&program) < PROBE + MARGIN);
    // It came back empty, and one request has counted since.
    assert_eq!(statuses(&program, 3), [200, 200, 429]);
    aforo_servers::until("the log of its return", || {
        program.log().contains("the store answers again")
    });
    let log = program.log();
    assert_eq!(log.matches("the store fails").count(), 1, "{log}");
}

#[test]
fn rl_42_a_fallback_does_not_answer_denials() {
    let redis = Redis::start();
    let program = instance("\"2/day fixed-window\"", &store(&redis, "local"));
    assert_eq!(statuses(&program, 3), [200, 200, 429]);
    assert!(!program.log().contains("the store fails"));
}

#[test]
fn rlx_05_while_redis_is_down_each_of_three_instances_admits_its_share() {
    let mut redis = Redis::start();
    let store = store(&redis, "local");
    redis.kill();
    let instances = [0, 1, 2].map(|_| instance("\"10/day fixed-window\"", &store));
    let admitted = instances
        .each_ref()
        .map(|program| passed(statuses(program, 14)));
    assert_eq!(admitted, [4, 4, 4], "a third of ten, rounded up");
    redis.restart();
    for program in &instances {
        counts_again(program);
    }
    let all: usize = instances
        .iter()
        .map(|program| passed(statuses(program, 10)))
        .sum();
    // What was counted locally stays apart; a request of each has counted while it was awaited.
    assert_eq!(all, 7);
}
