//! PostgreSQL passes the suite of stores.

use std::future::Future;
use std::sync::Arc;

use aforo_store::{ManualClock, SqlStore};

use crate::stage::postgres::Postgres;
use crate::stage::{block_on, remote};

fn on_server<T>(test: impl Future<Output = T>) -> T {
    let _server = Postgres::shared();
    block_on(test)
}

fn store_at(clock: ManualClock) -> SqlStore {
    let mut remote = remote(&Postgres::shared().url());
    remote.clock = Some(Arc::new(clock));
    SqlStore::open(&remote).unwrap()
}

aforo_store::conformance_suite! {
    block_on: on_server,
    make: async |clock| store_at(clock),
}
