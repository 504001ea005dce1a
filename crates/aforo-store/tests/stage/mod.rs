//! What the tests of stores that need a server share.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "tests may panic, and each uses a part of this"
)]

pub(crate) mod callers;
pub(crate) mod leases;
pub(crate) mod other_process;
pub(crate) mod race;
pub(crate) mod shared;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) mod sql;

use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use aforo_core::HashKey;
use aforo_store::Remote;

/// A store at `url` in a namespace of its own, with time enough on a busy machine.
pub(crate) fn remote(url: &str) -> Remote {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut remote = Remote::new(url, fingerprint());
    remote.namespace = format!("test{number}");
    remote.timeout = Duration::from_secs(20);
    remote
}

/// The fingerprint of the secret that the tests hash with.
pub(crate) fn fingerprint() -> u64 {
    HashKey::new([1, 2]).fingerprint()
}

/// Runs a test to its end, with threads of its own.
pub(crate) fn block_on<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(test)
}
