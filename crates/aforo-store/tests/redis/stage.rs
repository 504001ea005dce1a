//! The servers that the tests share, and stores on them.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use aforo_core::HashKey;
use aforo_servers::{Cluster, Redis};
use aforo_store::{Clock, ManualClock, RedisStore, Remote, conformance};

/// One server for all tests of this process.
pub(crate) static SINGLE: LazyLock<Redis> = LazyLock::new(Redis::start);

/// One cluster for all tests of this process.
pub(crate) static CLUSTER: LazyLock<Cluster> = LazyLock::new(Cluster::start);

/// How a store is reached by a test that shares its server: in a namespace of its own, and with
/// time enough on a busy machine.
pub(crate) fn remote(url: String) -> Remote {
    static STORES: AtomicU64 = AtomicU64::new(0);
    let secret = HashKey::new([1, 2]);
    Remote {
        namespace: format!("test{}", STORES.fetch_add(1, Relaxed)),
        timeout: Duration::from_secs(20),
        ..Remote::new(url, secret.fingerprint())
    }
}

/// An empty store that reads a given clock.
pub(crate) fn store_at(url: String, clock: ManualClock) -> RedisStore {
    let clock: Arc<dyn Clock> = Arc::new(clock);
    let remote = Remote {
        clock: Some(clock),
        ..remote(url)
    };
    RedisStore::open(&remote).unwrap()
}

/// Runs a test that starts tasks of its own.
pub(crate) fn block_on<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(test)
}

/// Runs a test on the shared server, where every key must end afterwards.
pub(crate) fn on_single<T>(test: impl Future<Output = T>) -> T {
    let result = conformance::block_on(test);
    SINGLE.every_key_ends();
    result
}

/// Runs a test on the shared cluster, where every key must end afterwards.
pub(crate) fn on_cluster<T>(test: impl Future<Output = T>) -> T {
    let result = conformance::block_on(test);
    CLUSTER.every_key_ends();
    result
}
