//! A server that is down, stands still or comes back.
#![allow(
    clippy::disallowed_methods,
    reason = "how long an answer takes is measured"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use aforo_servers::Postgres;
use aforo_store::{SqlStore, Store, StoreError};
use tokio::task::JoinSet;

use crate::stage::callers::{batch, charge, fixed, hits, left, terms};
use crate::stage::race::at_once;
use crate::stage::{block_on, remote};

const TIMEOUT: Duration = Duration::from_millis(300);
/// What a busy machine adds.
const MARGIN: Duration = Duration::from_secs(3);

#[test]
fn a_server_that_comes_later_is_used_then() {
    let mut server = Postgres::start();
    server.kill();
    let store = SqlStore::open(&remote(&server.url())).unwrap();
    let policy = terms("policy", fixed(10, 86_400 * 300));
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
    let mut server = Postgres::start();
    let store = Arc::new(SqlStore::open(&remote(&server.url())).unwrap());
    let policy = terms("policy", fixed(100, 86_400 * 300));
    for number in 1..4 {
        block_on(async {
            // All connections are there and idle.
            assert_eq!(at_once(&store, *policy.quota(), number + 1, 20).await, 20);
            assert!(hits(&*store, &policy, 1).await);
        });
        server.restart();
        block_on(async { assert_eq!(left(&*store, &policy, 1).await, 100 - number) });
    }
}

#[test]
fn a_frozen_server_holds_nobody_longer_than_the_timeout() {
    let server = Postgres::start();
    let mut remote = remote(&server.url());
    block_on(async {
        // The tables are made with time enough.
        let store = SqlStore::open(&remote).unwrap();
        assert!(hits(&store, &terms("policy", fixed(10, 86_400 * 300)), 1).await);
    });
    remote.timeout = TIMEOUT;
    let store = Arc::new(SqlStore::open(&remote).unwrap());
    server.freeze();
    block_on(async {
        let start = Instant::now();
        let mut asked = JoinSet::new();
        for _ in 0..100 {
            let store = Arc::clone(&store);
            asked.spawn(async move {
                let policy = terms("policy", fixed(10, 86_400 * 300));
                let charged = store.charge(&batch(&[charge(&policy, 1, 1)])).await;
                assert!(matches!(charged, Err(StoreError::Timeout)), "{charged:?}");
            });
        }
        asked.join_all().await;
        assert!(start.elapsed() < TIMEOUT + MARGIN, "{:?}", start.elapsed());
    });
    server.thaw();
    let policy = terms("policy", fixed(10, 86_400 * 300));
    let asked = batch(&[charge(&policy, 1, 0)]);
    aforo_servers::until("it counts again", || block_on(store.peek(&asked)).is_ok());
    let others = "SELECT count(*) FROM pg_stat_activity \
                  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    let connections: u32 = server.ask(others).parse().unwrap();
    assert!(connections <= 4, "{connections}");
}
