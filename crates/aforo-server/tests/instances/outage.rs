//! A real Redis that freezes, dies and comes back.

use std::thread;
use std::time::Duration;

use aforo_servers::Redis;

use crate::scene::{at_once, counts_again, instance, passed, statuses, timed};

/// How much later than its timeout an answer may be: other tests share the cores. Without a
/// timeout none would come before the store thaws.
const MARGIN: Duration = Duration::from_millis(950);
const TIMEOUT: Duration = Duration::from_millis(50);
const PROBE: Duration = Duration::from_secs(1);
/// How long a store that is back may go unnoticed: a probe on a busy machine may itself be late.
const RETURN: Duration = Duration::from_millis(2_500);

/// A store that is given as long as the contract says by default.
fn impatient(redis: &Redis, setting: &str) -> String {
    store(redis, "50ms", setting)
}

/// A store that a busy machine does not make fail: for what is about its answers, not their time.
fn patient(redis: &Redis, setting: &str) -> String {
    store(redis, "2s", setting)
}

fn store(redis: &Redis, timeout: &str, setting: &str) -> String {
    let url = redis.url();
    format!(
        "url = \"{url}\"\ntimeout = \"{timeout}\"\non_store_failure = \"{setting}\"\ninstances = 3"
    )
}

#[test]
fn rl_03_a_frozen_redis_holds_nobody_longer_than_its_timeout() {
    for (setting, expected) in [("allow", 200), ("deny", 503)] {
        let redis = Redis::start();
        let program = instance("\"500/day fixed-window\"", &impatient(&redis, setting));
        counts_again(&program);
        redis.freeze();
        for (status, took) in at_once(&[&program], 100, "/") {
            assert_eq!(status, expected, "{setting}");
            assert!(took < TIMEOUT + MARGIN, "{setting}: {took:?}");
        }
        redis.thaw();
        let took = counts_again(&program);
        assert!(took < RETURN, "{setting}: {took:?}");
    }
}

#[test]
fn rl_03_with_local_a_frozen_redis_leaves_a_share() {
    let redis = Redis::start();
    let program = instance("\"12/day fixed-window\"", &impatient(&redis, "local"));
    redis.freeze();
    let answers = at_once(&[&program], 100, "/");
    assert!(answers.iter().all(|(_, took)| *took < TIMEOUT + MARGIN));
    assert_eq!(passed(answers.into_iter().map(|(status, _)| status)), 4);
    redis.thaw();
    assert!(counts_again(&program) < RETURN);
}

#[test]
fn rlx_31_a_frozen_redis_is_asked_five_times_then_once_a_second() {
    let redis = Redis::start();
    let program = instance("\"500/day fixed-window\"", &impatient(&redis, "allow"));
    counts_again(&program);
    redis.freeze();
    let took: Vec<Duration> = (0..20).map(|_| timed(&program).1).collect();
    assert!(took[..5].iter().all(|took| *took >= TIMEOUT), "{took:?}");
    let rest: Duration = took[5..].iter().sum();
    assert!(rest < TIMEOUT * 15, "fifteen that do not wait: {took:?}");
    thread::sleep(PROBE);
    let took: Vec<Duration> = (0..20).map(|_| timed(&program).1).collect();
    assert!(took[0] >= TIMEOUT, "a probe: {took:?}");
    let rest: Duration = took[1..].iter().sum();
    assert!(rest < TIMEOUT * 19, "no others: {took:?}");
    redis.thaw();
    assert!(counts_again(&program) < RETURN);
}

#[test]
fn a_redis_that_is_killed_and_started_again_counts_again() {
    let mut redis = Redis::start();
    let program = instance("\"3/day fixed-window\"", &patient(&redis, "allow"));
    assert_eq!(statuses(&program, 1), [200]);
    redis.kill();
    assert_eq!(statuses(&program, 50), [200; 50]);
    redis.restart();
    assert!(counts_again(&program) < RETURN);
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
    let program = instance("\"2/day fixed-window\"", &patient(&redis, "local"));
    assert_eq!(statuses(&program, 3), [200, 200, 429]);
    assert!(!program.log().contains("the store fails"));
}

#[test]
fn rlx_05_while_redis_is_down_each_of_three_instances_admits_its_share() {
    let mut redis = Redis::start();
    let store = patient(&redis, "local");
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
