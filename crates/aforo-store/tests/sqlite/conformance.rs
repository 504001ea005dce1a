//! SQLite passes the suite of stores.

use std::sync::Arc;

use aforo_store::{Answer, Batch, Charged, ManualClock, Receipt, SqlStore, Store};
use tempfile::TempDir;

use crate::stage::{block_on, remote};

/// A store with the folder that its file is in.
struct InFolder {
    store: SqlStore,
    _folder: TempDir,
}

fn store_at(clock: ManualClock) -> InFolder {
    let folder = TempDir::new().unwrap();
    let mut remote = remote(&crate::url(folder.path()));
    remote.clock = Some(Arc::new(clock));
    InFolder {
        store: SqlStore::open(&remote).unwrap(),
        _folder: folder,
    }
}

impl Store for InFolder {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        self.store.charge(batch)
    }

    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        self.store.peek(batch)
    }

    fn refund(&self, receipt: Receipt) -> Answer<'_, ()> {
        self.store.refund(receipt)
    }

    fn settle<'a>(
        &'a self,
        receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()> {
        self.store.settle(receipt, true_cost)
    }

    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()> {
        self.store.reset(batch)
    }
}

aforo_store::conformance_suite! {
    block_on: block_on,
    make: async |clock| store_at(clock),
}
