//! Bounds and clock of a memory store.

use super::MemoryStore;
use super::logs::Logs;
use super::quotas::Quotas;
use super::table::Table;
use crate::{Clock, SystemClock};

/// Sets the bounds and the clock of a [`MemoryStore`].
///
/// ```
/// use aforo_store::MemoryStore;
/// let store = MemoryStore::builder().max_keys(100_000).build();
/// assert_eq!(store.stats().known.max_entries, 100_000);
/// ```
#[derive(Clone, Debug)]
pub struct MemoryStoreBuilder<C = SystemClock> {
    max_keys: usize,
    max_log_entries: usize,
    clock: C,
}

impl Default for MemoryStoreBuilder {
    fn default() -> Self {
        Self {
            max_keys: 1_000_000,
            max_log_entries: 1_000_000,
            clock: SystemClock::new(),
        }
    }
}

impl<C> MemoryStoreBuilder<C> {
    /// The most entries of each of the two tables, at least one; 1,000,000 unless set. An entry
    /// takes 40 bytes, mapped when it is first used.
    #[must_use]
    pub fn max_keys(self, max_keys: usize) -> Self {
        Self { max_keys, ..self }
    }

    /// The most entries of all sliding logs, at least one; 1,000,000 unless set. An entry takes
    /// 24 bytes, each log about 200 more.
    #[must_use]
    pub fn max_log_entries(self, max_log_entries: usize) -> Self {
        Self {
            max_log_entries,
            ..self
        }
    }

    /// The clock.
    #[must_use]
    pub fn clock<D: Clock>(self, clock: D) -> MemoryStoreBuilder<D> {
        MemoryStoreBuilder {
            max_keys: self.max_keys,
            max_log_entries: self.max_log_entries,
            clock,
        }
    }
}

impl<C: Clock> MemoryStoreBuilder<C> {
    /// The store.
    pub fn build(self) -> MemoryStore<C> {
        let max_keys = self.max_keys.max(1);
        MemoryStore {
            clock: self.clock,
            quotas: Quotas::new(),
            known: Table::new(max_keys),
            strangers: Table::new(max_keys),
            logs: Logs::new(self.max_log_entries.max(1)),
        }
    }
}
