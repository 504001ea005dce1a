//! Servers that are frozen, killed, restarted, full, emptied or demoted.

use std::sync::Arc;
use std::time::Duration;

use aforo_servers::{Redis, until};
use aforo_store::{RedisStore, Remote, StoreError};
use tokio::time::Instant;

use crate::scene::{at_once, caller, fixed, hit, hits, seconds, taken_at_once, terms};
use crate::stage::{block_on, remote};

const TIMEOUT: Duration = Duration::from_millis(50);
/// What a busy machine may add.
const MARGIN: Duration = Duration::from_millis(1_500);

/// A store whose answers must be there soon.
fn quick(server: &Redis) -> Arc<RedisStore> {
    let remote = Remote {
        timeout: TIMEOUT,
        ..remote(server.url())
    };
    Arc::new(RedisStore::open(&remote).unwrap())
}

fn patient(server: &Redis) -> Arc<RedisStore> {
    Arc::new(RedisStore::open(&remote(server.url())).unwrap())
}

#[test]
fn rl_03_a_frozen_server_answers_nobody_late() {
    let server = Redis::start();
    let store = quick(&server);
    let policy = terms("policy", fixed(5, seconds(86_400)));
    until("a first answer", || {
        block_on(hit(&store, &policy, caller("first"))).is_ok()
    });
    server.freeze();
    block_on(async {
        // More than the operating system's buffers would take at once.
        for _ in 0..10 {
            let asked = Instant::now();
            for answer in at_once(&store, &policy, caller("acme"), 100).await {
                let error = answer.unwrap_err();
                let known = matches!(error, StoreError::Timeout | StoreError::Unavailable(_));
                assert!(known, "{error}");
            }
            assert!(asked.elapsed() < TIMEOUT + MARGIN, "{:?}", asked.elapsed());
        }
    });
    server.thaw();
    let thawed = Instant::now();
    until("an answer", || {
        block_on(hit(&store, &policy, caller("after"))).is_ok()
    });
    assert!(
        thawed.elapsed() < Duration::from_secs(1) + MARGIN,
        "{:?}",
        thawed.elapsed()
    );
    assert_eq!(
        block_on(hits(&store, &policy, caller("again"), 6)),
        [true, true, true, true, true, false]
    );
    assert!(server.clients() <= 2, "{}", server.clients());
    server.every_key_ends();
}

#[test]
fn a_killed_server_is_an_error_at_once_and_a_restarted_one_counts() {
    let mut server = Redis::start();
    let store = patient(&server);
    let policy = terms("policy", fixed(2, seconds(86_400)));
    assert_eq!(block_on(hits(&store, &policy, caller("acme"), 1)), [true]);
    server.kill();
    for _ in 0..20 {
        let error = block_on(hit(&store, &policy, caller("acme"))).unwrap_err();
        assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    }
    server.restart();
    let taken = block_on(hits(&store, &policy, caller("acme"), 3));
    assert_eq!(taken, [true, true, false]);
    assert_eq!(server.clients(), 1);
}

#[test]
fn a_server_that_is_down_at_first_is_found_when_it_comes() {
    let mut server = Redis::start();
    server.kill();
    let store = patient(&server);
    let policy = terms("policy", fixed(1, seconds(86_400)));
    assert!(block_on(hit(&store, &policy, caller("acme"))).is_err());
    server.restart();
    assert!(
        block_on(hit(&store, &policy, caller("acme")))
            .unwrap()
            .is_allowed()
    );
}

#[test]
fn a_killed_connection_is_made_anew_without_an_error() {
    let server = Redis::start();
    let store = patient(&server);
    let policy = terms("policy", fixed(6, seconds(86_400)));
    for count in 1..=3 {
        assert_eq!(
            block_on(hits(&store, &policy, caller("acme"), 1)),
            [true],
            "{count}"
        );
        server.ask(&["CLIENT", "KILL", "TYPE", "normal"]);
    }
    let taken = block_on(hits(&store, &policy, caller("acme"), 4));
    assert_eq!(taken, [true, true, true, false]);
}

#[test]
fn rl_09_a_lost_script_is_sent_once() {
    let server = Redis::start();
    let store = patient(&server);
    let policy = terms("policy", fixed(3, seconds(86_400)));
    assert_eq!(block_on(hits(&store, &policy, caller("acme"), 1)), [true]);
    let loads = server.calls("script|load");
    server.ask(&["SCRIPT", "FLUSH"]);
    assert_eq!(
        block_on(taken_at_once(&store, &policy, caller("acme"), 5)),
        2
    );
    assert_eq!(server.calls("script|load"), loads + 1);
}

/// A master that becomes a replica under a pooled connection: errors while it is one, and none
/// after, without a restart of this process.
#[test]
fn rl_46_a_demoted_server_is_left_and_found_again() {
    let other = Redis::start();
    let server = Redis::start();
    let store = patient(&server);
    let policy = terms("policy", fixed(10, seconds(86_400)));
    assert_eq!(block_on(hits(&store, &policy, caller("acme"), 1)), [true]);
    let port = other.port().to_string();
    server.ask(&["REPLICAOF", "127.0.0.1", &port]);
    let error = block_on(hit(&store, &policy, caller("acme"))).unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    server.ask(&["REPLICAOF", "NO", "ONE"]);
    assert_eq!(
        block_on(hits(&store, &policy, caller("acme"), 2)),
        [true, true]
    );
    assert_eq!(server.clients(), 1);
}

#[test]
fn a_full_server_is_an_error_until_it_has_room() {
    let server = Redis::start();
    let store = patient(&server);
    let policy = terms("policy", fixed(2, seconds(86_400)));
    assert_eq!(block_on(hits(&store, &policy, caller("acme"), 1)), [true]);
    server.ask(&["CONFIG", "SET", "maxmemory", "1"]);
    let error = block_on(hit(&store, &policy, caller("acme"))).unwrap_err();
    assert!(error.to_string().contains("maxmemory"), "{error}");
    server.ask(&["CONFIG", "SET", "maxmemory", "0"]);
    let taken = block_on(hits(&store, &policy, caller("acme"), 2));
    assert_eq!(taken, [true, false]);
}

#[test]
fn a_server_that_counts_with_another_secret_is_refused_until_it_does_not() {
    let server = Redis::start();
    let with = |fingerprint| Remote {
        namespace: "aforo".to_owned(),
        fingerprint,
        ..remote(server.url())
    };
    let ours = RedisStore::open(&with(1)).unwrap();
    let theirs = RedisStore::open(&with(2)).unwrap();
    let policy = terms("policy", fixed(9, seconds(86_400)));
    assert_eq!(block_on(hits(&ours, &policy, caller("acme"), 1)), [true]);
    for _ in 0..2 {
        let error = block_on(hit(&theirs, &policy, caller("acme"))).unwrap_err();
        assert!(matches!(error, StoreError::HashKeyDiffers), "{error}");
    }
    server.every_key_ends();
    server.ask(&["FLUSHALL"]);
    assert_eq!(block_on(hits(&theirs, &policy, caller("acme"), 1)), [true]);
    // Ours finds out when it comes back.
    server.ask(&["CLIENT", "KILL", "TYPE", "normal"]);
    let error = block_on(hit(&ours, &policy, caller("acme"))).unwrap_err();
    assert!(matches!(error, StoreError::HashKeyDiffers), "{error}");
}
