//! A bounded table of entries.

use aforo_core::Timestamp;

use super::address::{Address, spread};
use super::atomics::{AtomicU64, AtomicUsize, Ordering, zeroed};
use super::lock::Lock;
use super::overflow::Overflow;
use super::quotas::Quotas;
use super::region::Region;
use super::seat::Seat;
use super::slot::{Slot, WORDS};
use super::spot::Spot;

/// Slots in a region; a table for fewer entries has one smaller region.
const REGION: usize = 512;
/// Words in a cache line.
const LINE: usize = 8;

/// Entries of fixed size in one allocation, never more than `max_entries`.
#[derive(Debug)]
pub(super) struct Table {
    words: Box<[AtomicU64]>,
    /// The first word that begins a cache line.
    start: usize,
    region_size: usize,
    locks: Box<[Lock]>,
    max_entries: usize,
    entries: AtomicUsize,
    /// The region that is looked through next when the table is full.
    hand: AtomicUsize,
    pub(super) overflow: Overflow,
}

impl Table {
    /// A table of at most `max_entries`, a fifth of its slots always free.
    pub(super) fn new(max_entries: usize) -> Self {
        let slots = max_entries.saturating_add(max_entries.div_ceil(4)).max(8);
        let region_size = slots.next_power_of_two().min(REGION);
        Self::with_regions(slots.div_ceil(region_size), region_size, max_entries)
    }

    /// A table of so many regions of so many slots.
    pub(super) fn with_regions(regions: usize, region_size: usize, max_entries: usize) -> Self {
        let slots = regions.saturating_mul(region_size);
        let words = zeroed(slots.saturating_mul(WORDS).saturating_add(LINE));
        let start = match words.as_ptr().align_offset(64) {
            offset if offset < LINE => offset,
            _ => 0,
        };
        Self {
            words,
            start,
            region_size,
            locks: (0..regions).map(|_| Lock::new()).collect(),
            max_entries,
            entries: AtomicUsize::new(0),
            hand: AtomicUsize::new(0),
            overflow: Overflow::new(),
        }
    }

    /// How many entries it holds.
    pub(super) fn entries(&self) -> usize {
        self.entries.load(Ordering::Relaxed)
    }

    /// How many it may hold.
    pub(super) fn max_entries(&self) -> usize {
        self.max_entries
    }

    /// The region of an address.
    #[inline]
    pub(super) fn region_of(&self, address: Address) -> usize {
        spread(address.region, self.locks.len())
    }

    /// Waits for a region. Regions are taken in ascending order, those of the other table later.
    #[inline]
    pub(super) fn take(&self, region: usize) -> Option<Region<'_>> {
        let lock = self.locks.get(region)?;
        Some(Region::new(self.slots(region), lock.take()))
    }

    /// Where an entry stands, while nothing is held.
    #[inline]
    pub(super) fn spot(&self, region: usize, tag: u64) -> Option<Spot<'_>> {
        let lock = self.locks.get(region)?;
        Some(Spot::new(self.slots(region), lock, tag))
    }

    /// Counts one more entry in a region that is held, and drops neutral entries when there is
    /// no room: of this region, then of one other. `keep` are not dropped.
    pub(super) fn make_room(
        &self,
        region: &Region<'_>,
        quotas: &Quotas,
        now: Timestamp,
        keep: &[Seat<'_>],
    ) -> bool {
        if self.enter(region) {
            return true;
        }
        self.count_out(region.drop_neutral(quotas, now, keep));
        if self.enter(region) {
            return true;
        }
        let hand = self.hand.fetch_add(1, Ordering::Relaxed);
        let other = hand.checked_rem(self.locks.len()).unwrap_or_default();
        // Not waited for: it may lie before a region that is held.
        let Some(held) = self.locks.get(other).and_then(Lock::try_take) else {
            return false;
        };
        let other = Region::new(self.slots(other), held);
        self.count_out(other.drop_neutral(quotas, now, keep));
        drop(other);
        self.enter(region)
    }

    /// Counts out an entry that [`Table::make_room`] counted and nobody wrote.
    pub(super) fn leave(&self, region: &Region<'_>) {
        region.leave();
        self.count_out(1);
    }

    /// Counts out entries that are gone.
    pub(super) fn count_out(&self, entries: usize) {
        if entries > 0 {
            self.entries.fetch_sub(entries, Ordering::Relaxed);
        }
    }

    fn enter(&self, region: &Region<'_>) -> bool {
        let one_more =
            |entries: usize| (entries < self.max_entries).then_some(entries.wrapping_add(1));
        let counted = self
            .entries
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
            .is_ok();
        if counted && !region.enter() {
            self.count_out(1);
            return false;
        }
        counted
    }

    #[inline]
    fn slots(&self, region: usize) -> &[Slot] {
        let size = self.region_size.wrapping_mul(WORDS);
        let from = region.wrapping_mul(size).wrapping_add(self.start);
        let words = self.words.get(from..from.wrapping_add(size));
        words.map_or(&[], |words| words.as_chunks::<WORDS>().0)
    }
}
