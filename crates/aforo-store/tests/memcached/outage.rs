//! A server that is down, stands still or comes back.
#![allow(
    clippy::disallowed_methods,
    reason = "how long an answer takes is measured"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use aforo_servers::Memcached;
use aforo_store::{MemcachedStore, Store, StoreError};
use tokio::task::JoinSet;

use crate::stage::callers::{batch, charge, fixed, hits, left, terms};
use crate::stage::{block_on, remote};

const TIMEOUT: Duration = Duration::from_millis(300);
/// What a busy machine adds.
const MARGIN: Duration = Duration::from_secs(3);

#[test]
fn a_server_that_comes_later_is_used_then() {
    let mut server = Memcached::start();
    server.kill();
    let store = MemcachedStore::open(&remote(&server.url())).unwrap();
    let policy = terms("policy", fixed(10, 86_400));
    block_on(async {
        let asked = batch(&[charge(&policy, 1, 1)]);
        let down = store.charge(&asked).await;
        assert!(matches!(down, Err(StoreError::Unavailable(_))), "{down:?}");
    });
    server.restart();
    block_on(async { assert!(hits(&store, &policy, 1).await) });
}

#[test]
fn a_restarted_server_is_found_again_without_an_error() {
    let mut server = Memcached::start();
    let store = MemcachedStore::open(&remote(&server.url())).unwrap();
    let policy = terms("policy", fixed(10, 86_400));
    for _ in 0..3 {
        // It forgot what it held: a restart is an eviction of all.
        block_on(async {
            assert!(hits(&store, &policy, 1).await);
            assert_eq!(left(&store, &policy, 1).await, 9);
        });
        server.restart();
    }
}

#[test]
fn a_frozen_server_holds_nobody_longer_than_the_timeout() {
    let server = Memcached::start();
    let mut remote = remote(&server.url());
    remote.timeout = TIMEOUT;
    let store = Arc::new(MemcachedStore::open(&remote).unwrap());
    server.freeze();
    block_on(async {
        let start = Instant::now();
        let mut asked = JoinSet::new();
        for caller in 0..100 {
            let store = Arc::clone(&store);
            asked.spawn(async move {
                let policy = terms("policy", fixed(10, 86_400));
                let charged = store.charge(&batch(&[charge(&policy, caller, 1)])).await;
                assert!(matches!(charged, Err(StoreError::Timeout)), "{charged:?}");
            });
        }
        asked.join_all().await;
        assert!(start.elapsed() < TIMEOUT + MARGIN, "{:?}", start.elapsed());
    });
    server.thaw();
    let policy = terms("policy", fixed(10, 86_400));
    let asked = batch(&[charge(&policy, 1, 0)]);
    aforo_servers::until("it counts again", || block_on(store.peek(&asked)).is_ok());
    aforo_servers::until("the connections given up are closed", || {
        // Four of the store, and the one that asks.
        server.stat("curr_connections") <= 4 + 2
    });
}
