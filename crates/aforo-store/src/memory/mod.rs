//! The store that keeps everything in this process.

mod address;
mod assessed;
mod atomics;
mod batch;
mod builder;
mod correction;
mod lock;
mod locks;
mod logs;
mod overflow;
mod quotas;
mod region;
mod seat;
mod single;
mod slot;
mod stats;
mod table;
mod write;

#[cfg(all(test, loom))]
mod interleavings;

use aforo_core::PrincipalKind;

pub use builder::MemoryStoreBuilder;
pub use stats::{MemoryStats, TableStats};

use crate::{Answer, Batch, Charged, Clock, Receipt, Store, SystemClock};
use logs::Logs;
use quotas::Quotas;
use seat::Seat;
use table::Table;

/// Keeps counters in this process and answers at once.
#[derive(Debug)]
pub struct MemoryStore<C = SystemClock> {
    clock: C,
    quotas: Quotas,
    known: Table,
    strangers: Table,
    logs: Logs,
}

impl MemoryStore {
    /// A store with the default bounds and the machine's clock.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A store with bounds or a clock of one's own.
    pub fn builder() -> MemoryStoreBuilder {
        MemoryStoreBuilder::default()
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl<C> MemoryStore<C> {
    /// How full it is.
    pub fn stats(&self) -> MemoryStats {
        MemoryStats {
            known: TableStats::of(&self.known),
            strangers: TableStats::of(&self.strangers),
            log_entries: self.logs.entries(),
            max_log_entries: self.logs.max_entries(),
            coalesced: self.logs.coalesced(),
            shared_logs: self.logs.shared(),
        }
    }

    /// How many charges were put on shared entries or shared logs because there was no room.
    pub fn overflowed(&self) -> u64 {
        let tables = [&self.known, &self.strangers];
        let charges = tables.map(|table| table.overflow.charges());
        charges
            .into_iter()
            .fold(self.logs.shared(), u64::saturating_add)
    }

    #[inline]
    fn table(&self, kind: PrincipalKind) -> &Table {
        match kind {
            PrincipalKind::Known => &self.known,
            PrincipalKind::Stranger => &self.strangers,
        }
    }
}

impl<C: Clock> Store for MemoryStore<C> {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        let seats = batch.charges().iter().map(Seat::of);
        Answer::ready(self.run(seats, batch::Purpose::Charge))
    }

    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        let seats = batch.charges().iter().map(Seat::of);
        Answer::ready(self.run(seats, batch::Purpose::Peek))
    }

    fn refund(&self, receipt: Receipt) -> Answer<'_, ()> {
        for line in receipt.lines() {
            self.give_back(line, line.taken.cost);
        }
        Answer::ready(())
    }

    fn settle<'a>(
        &'a self,
        receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()> {
        for line in receipt.lines() {
            self.correct(line, true_cost(line.place));
        }
        Answer::ready(())
    }

    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()> {
        for charge in batch.charges() {
            self.neutralise(&Seat::of(charge));
        }
        Answer::ready(())
    }
}
