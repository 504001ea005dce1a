//! PostgreSQL passes the suite of stores.

use std::future::Future;
use std::sync::Arc;

use aforo_servers::Postgres;
use aforo_store::{ManualClock, SqlStore};

use crate::stage::shared::Shared;
use crate::stage::{block_on, remote};

static SERVER: Shared<Postgres> = Shared::new();

fn on_server<T>(test: impl Future<Output = T>) -> T {
    let _server = SERVER.get(Postgres::start);
    block_on(test)
}

fn store_at(clock: ManualClock) -> SqlStore {
    let mut remote = remote(&SERVER.get(Postgres::start).url());
    remote.clock = Some(Arc::new(clock));
    SqlStore::open(&remote).unwrap()
}

aforo_store::conformance_suite! {
    block_on: on_server,
    make: async |clock| store_at(clock),
}
