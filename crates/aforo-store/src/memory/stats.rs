//! How full a memory store is.

use super::table::Table;

/// How full a memory store is; for metrics. None of it names a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStats {
    /// The table of known principals.
    pub known: TableStats,
    /// The table of strangers: addresses and whatever else a caller can make up.
    pub strangers: TableStats,
    /// Entries of all sliding logs.
    pub log_entries: usize,
    /// The most they may be.
    pub max_log_entries: usize,
    /// How often a log joined its oldest two entries because there was no room for one more.
    pub coalesced: u64,
    /// Charges put on a shared log because there was no room for one of its own.
    pub shared_logs: u64,
}

/// How full one table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableStats {
    /// Entries it holds, of which some may be neutral.
    pub entries: usize,
    /// The most it holds.
    pub max_entries: usize,
    /// Charges put on a shared entry because all entries were live.
    pub overflowed: u64,
}

impl TableStats {
    pub(super) fn of(table: &Table) -> Self {
        Self {
            entries: table.entries(),
            max_entries: table.max_entries(),
            overflowed: table.overflow.charges(),
        }
    }
}
