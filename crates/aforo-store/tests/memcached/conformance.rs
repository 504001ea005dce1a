//! Memcached passes the suite of stores.

use std::future::Future;
use std::sync::Arc;

use aforo_servers::Memcached;
use aforo_store::{ManualClock, MemcachedStore};

use crate::stage::shared::Shared;
use crate::stage::{block_on, remote};

static SERVER: Shared<Memcached> = Shared::new();

fn on_server<T>(test: impl Future<Output = T>) -> T {
    let _server = SERVER.get(Memcached::start);
    block_on(test)
}

fn store_at(clock: ManualClock) -> MemcachedStore {
    let mut remote = remote(&SERVER.get(Memcached::start).url());
    remote.clock = Some(Arc::new(clock));
    MemcachedStore::open(&remote).unwrap()
}

aforo_store::conformance_suite! {
    block_on: on_server,
    make: async |clock| store_at(clock),
}
