//! When what stands in the server ends.

use aforo_core::{Quota, Span};
use aforo_servers::{Redis, until};
use aforo_store::{RedisStore, Remote};

use crate::scene::{bucket, caller, fixed, hit, hits, one_of_each, seconds, terms};
use crate::stage::{block_on, remote};

fn store(server: &Redis) -> RedisStore {
    let remote = Remote {
        namespace: "aforo".to_owned(),
        ..remote(server.url())
    };
    RedisStore::open(&remote).unwrap()
}

fn key_of(name: &str) -> String {
    format!("aforo:{{{:032x}}}", caller(name).hash.0)
}

/// How long a caller's value has left, in milliseconds.
fn left(server: &Redis, name: &str) -> i64 {
    server.ask(&["PTTL", &key_of(name)]).trim().parse().unwrap()
}

/// A key that lost its expiry gets one with the next request, also with a denied one.
#[test]
fn rl_05_a_key_without_an_end_is_repaired() {
    let server = Redis::start();
    let store = store(&server);
    let policies = [
        terms("window", fixed(2, seconds(60))),
        terms("log", Quota::sliding_log(2, seconds(60)).unwrap()),
    ];
    for policy in policies {
        for count in [1, 3] {
            let name = format!("{}, {count}", policy.name());
            block_on(hits(&store, &policy, caller(&name), count));
            for key in server.keys() {
                server.ask(&["PERSIST", &key]);
            }
            assert_eq!(left(&server, &name), -1);
            let taken = block_on(hits(&store, &policy, caller(&name), 1));
            assert_eq!(taken, [count == 1]);
            let left = left(&server, &name);
            assert!((1..=121_000).contains(&left), "{left}");
            server.ask(&["DEL", "aforo:fingerprint"]);
            server.every_key_ends();
            server.ask(&["FLUSHALL"]);
        }
    }
}

/// All state of callers that went away goes too, of every algorithm.
#[test]
fn rlx_08_state_is_reclaimed() {
    let server = Redis::start();
    let store = store(&server);
    let second = seconds(1);
    let quotas = [
        bucket(1, second, 1),
        Quota::leaky_bucket(1, second, second).unwrap(),
        fixed(1, second),
        Quota::sliding_window(1, second).unwrap(),
        Quota::sliding_log(1, second).unwrap(),
    ];
    block_on(async {
        for (number, quota) in quotas.into_iter().enumerate() {
            let policy = terms(&format!("policy-{number}"), quota);
            for name in 0..2_000 {
                let caller = caller(&format!("{number}, {name}"));
                assert!(hit(&store, &policy, caller).await.unwrap().is_allowed());
            }
        }
    });
    server.every_key_ends();
    // Two windows and the second that a value outlives them, and what the server's own sweep lags.
    until("all counters to go", || {
        server.keys() == ["aforo:fingerprint"]
    });
}

/// The expiry is the time to whole again and a second, in milliseconds.
#[test]
fn rlx_23_the_expiry_is_the_time_to_whole_again() {
    let server = Redis::start();
    let store = store(&server);
    let month = seconds(60 * 86_400);
    let cases = [
        ("low rate", bucket(24, seconds(60), 24), 2_500),
        ("long", bucket(2, month, 2), 30 * 86_400_000),
        ("log", Quota::sliding_log(2, seconds(600)).unwrap(), 600_000),
    ];
    for (name, quota, whole) in cases {
        let outcome = block_on(hit(&store, &terms("policy", quota), caller(name))).unwrap();
        assert!(outcome.is_allowed());
        let left = left(&server, name);
        // Some time has passed between the two.
        assert!(
            (whole - 60_000..=whole + 1_000).contains(&left),
            "{name}: {left}"
        );
        assert!(left > 0, "{name}: {left}");
    }
    let window = terms("policy", fixed(2, seconds(3_600)));
    block_on(hit(&store, &window, caller("window"))).unwrap();
    assert!((1..=3_601_000).contains(&left(&server, "window")));
}

/// A shortened window shortens the expiry of what stands.
#[test]
fn rlx_33_a_shorter_window_ends_its_key_sooner() {
    let server = Redis::start();
    let store = store(&server);
    let (long, short) = (fixed(2, seconds(86_400)), fixed(3, seconds(10)));
    block_on(hits(&store, &terms("policy", long), caller("acme"), 2));
    block_on(hits(&store, &terms("policy", short), caller("acme"), 1));
    assert!(left(&server, "acme") <= 11_000);
}

/// Rates finer than the expiry's unit lose no state and leave no key without an end.
#[test]
fn rlx_43_a_rate_above_the_resolution_keeps_its_state() {
    let server = Redis::start();
    let store = store(&server);
    for (name, amount) in [("fast", 2_000_000_000), ("fine", 1_000_000)] {
        let policy = terms(
            "policy",
            Quota::token_bucket(amount, seconds(1), None).unwrap(),
        );
        assert_eq!(
            block_on(hits(&store, &policy, caller(name), 10)),
            [true; 10]
        );
        let left = left(&server, name);
        assert!((1..=1_001).contains(&left), "{name}: {left}");
    }
    let tiny = Quota::token_bucket(1, Span::from_millis(1), None).unwrap();
    block_on(hit(&store, &terms("policy", tiny), caller("tiny"))).unwrap();
    assert!(left(&server, "tiny") >= 1);
    server.every_key_ends();
}

#[test]
fn every_algorithm_ends_its_keys() {
    let server = Redis::start();
    let store = store(&server);
    for (number, quota) in one_of_each().into_iter().enumerate() {
        let policy = terms(&format!("policy-{number}"), quota);
        block_on(hits(&store, &policy, caller("acme"), 3));
    }
    assert!(left(&server, "acme") <= 86_401_000);
    server.every_key_ends();
}
