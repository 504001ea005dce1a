//! The store that keeps everything in this process.

mod address;
mod assessed;
mod atomics;
mod batch;
mod builder;
mod correction;
mod known;
mod lock;
mod locks;
mod logs;
mod overflow;
mod quotas;
mod region;
mod seat;
mod single;
mod slot;
mod spot;
mod stats;
mod table;
mod write;

#[cfg(all(test, loom))]
mod interleavings;

use aforo_core::{Outcome, PrincipalKind};

pub use builder::MemoryStoreBuilder;
pub use stats::{MemoryStats, TableStats};

use crate::{Answer, Batch, Charged, Clock, Distinct, Receipt, Store, SystemClock};
use logs::Logs;
use quotas::Quotas;
use seat::Seat;
use table::Table;

/// Keeps counters in this process and answers at once: no await, no allocation on the way of a
/// batch of up to four charges whose counters exist.
///
/// ```
/// use aforo_core::Timestamp;
/// use aforo_store::{ManualClock, MemoryStore};
/// let clock = ManualClock::at(Timestamp::from_seconds(1_700_000_000));
/// let store = MemoryStore::builder().max_keys(100_000).clock(clock).build();
/// assert_eq!(store.stats().known.entries, 0);
/// ```
///
/// # Bounds
///
/// Known principals and strangers (addresses, whatever a caller can make up) have a table each,
/// of at most `max_keys` entries: a flood of addresses never pushes out a consumer. An entry is 32
/// bytes, 40 with the fifth of the slots that stays free. A sliding log has entries of its own,
/// at most `max_log_entries` for all logs together, of which strangers get three quarters at
/// most.
///
/// An entry that has decayed to neutral says no more than a new one would. When there is no room
/// for a new entry, the region of the table where it belongs is rebuilt without its neutral
/// entries, and one other region with it; a region that was found full of live entries is left
/// alone for 65 ms. Live entries are never dropped: there is no order of age that a flood
/// could turn against a blocked caller. No thread runs in the background.
///
/// # When everything is live
///
/// New partition keys then share entries: 1,024 for each policy, picked by hash. An entry made
/// later starts as a copy of the shared one, until that is neutral. So cycling through keys
/// neither frees a blocked caller nor grows memory; who shares an entry may be denied for
/// what others took, never admitted for it. [`MemoryStore::overflowed`] counts the charges that
/// were put on shared entries: if it rises, raise `max_keys`.
///
/// A log that gets no room for one more entry joins its two oldest at the later one's time, which
/// is only ever stricter; a new log that gets none is shared by the new keys of its policy.
///
/// A [`reset`](Store::reset) makes one counter neutral. Shared entries stay as they are, since
/// they count others too: the partition key gets an entry of its own that says nothing, if there
/// is room for one; if not, it goes on sharing.
///
/// # A changed quota
///
/// Entries are kept by policy name and partition key, so a reload keeps them. Whether an entry is
/// neutral is judged by the quota that it was last charged by.
///
/// # Speed
///
/// [`MemoryStore::take`] and [`MemoryStore::charge_one`] decide a single charge without a batch
/// or a receipt. A batch takes the locks of its regions once each, in one order, and does only
/// arithmetic while it holds them. A large table that is hit at random waits for the page tables
/// more than for anything else: on Linux with glibc, `GLIBC_TUNABLES=glibc.malloc.hugetlb=1` has it
/// kept in huge pages. On a virtual machine a charge among 2²⁰ keys took about a third less time
/// with it. The memory is then mapped 2 MiB at a time.
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

impl<C: Clock> MemoryStore<C> {
    /// [`Store::charge`] for charges that stay where they are: tells each outcome with its place,
    /// puts what it takes into `receipt`, which is empty, and says whether they were taken.
    pub fn charge_each(
        &self,
        charges: &Distinct<'_>,
        mut tell: impl FnMut(usize, Outcome),
        receipt: &mut Receipt,
    ) -> bool {
        let charges = charges.charges();
        let known = match charges.len() {
            1 => self.charge_known::<1>(charges, &mut tell, receipt),
            2 => self.charge_known::<2>(charges, &mut tell, receipt),
            3 => self.charge_known::<3>(charges, &mut tell, receipt),
            4 => self.charge_known::<4>(charges, &mut tell, receipt),
            _ => None,
        };
        known.unwrap_or_else(|| {
            let seats = charges.iter().map(|charge| Seat::of(charge));
            let charged = self.run(seats, batch::Purpose::Charge);
            let outcomes = charged.outcomes.into_iter().enumerate();
            outcomes.for_each(|(place, outcome)| tell(place, outcome));
            *receipt = charged.receipt;
            charged.taken
        })
    }
}

impl<C: Clock> Store for MemoryStore<C> {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        let mut answer = Answer::ready(Charged::nothing());
        if let Answer::Ready(Some(Ok(charged))) = &mut answer {
            let outcomes = &mut charged.outcomes;
            let tell = |_place, outcome| outcomes.push(outcome);
            charged.taken = self.charge_each(&batch.into(), tell, &mut charged.receipt);
        }
        answer
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
