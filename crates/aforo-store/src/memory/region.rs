//! A region of a table, held by its lock.

use aforo_core::{State, Timestamp};

use super::address::spread;
use super::atomics::Ordering;
use super::lock::Held;
use super::quotas::Quotas;
use super::seat::Seat;
use super::slot::{self, Slot};

/// How long a region that holds only live entries is left alone, in microseconds: looking
/// through it again for every new key of a flood would find nothing.
const REST: u64 = 1 << 16;

/// Slots that are looked at together.
const NEAR: usize = 4;

/// The slots that one lock guards. An entry stands at its home or, by linear probing, in the
/// first free slot after it; beyond the last slot comes the first.
#[derive(Debug)]
pub(super) struct Region<'t> {
    slots: &'t [Slot],
    held: Held<'t>,
}

impl<'t> Region<'t> {
    pub(super) fn new(slots: &'t [Slot], held: Held<'t>) -> Self {
        Self { slots, held }
    }

    /// The place of an entry.
    #[inline]
    pub(super) fn find(&self, tag: u64) -> Option<usize> {
        find(self.slots, tag)
    }

    /// The slot at a place.
    #[inline]
    pub(super) fn slot(&self, place: usize) -> Option<&'t Slot> {
        self.slots.get(place)
    }

    /// Counts one more entry, if there is a slot for it.
    pub(super) fn enter(&self) -> bool {
        let used = self.used();
        let free = used < self.slots.len();
        if free {
            self.set_used(used.saturating_add(1));
        }
        free
    }

    /// Counts one entry less.
    pub(super) fn leave(&self) {
        self.set_used(self.used().saturating_sub(1));
    }

    /// Writes an entry for which there is a free slot.
    pub(super) fn insert(&self, tag: u64, quota: u32, state: &State) {
        let home = self.home(tag);
        let around = (home..self.slots.len()).chain(0..home);
        let free = around
            .filter_map(|place| self.slots.get(place))
            .find(|slot| slot::tag(slot) == 0);
        if let Some(free) = free {
            slot::fill(free, tag, quota, state);
        }
    }

    /// Empties the slot at a place and moves those that follow closer to their homes.
    pub(super) fn remove(&self, place: usize) {
        let next = |place: usize| match place.saturating_add(1) {
            next if next == self.slots.len() => 0,
            next => next,
        };
        let distance = |from: usize, to: usize| match to.checked_sub(from) {
            Some(distance) => distance,
            None => to.saturating_add(self.slots.len()).saturating_sub(from),
        };
        let mut gap = place;
        let mut place = next(place);
        for _ in 0..self.slots.len() {
            let (Some(hole), Some(slot)) = (self.slots.get(gap), self.slots.get(place)) else {
                return;
            };
            let tag = slot::tag(slot);
            if tag == 0 {
                break;
            }
            // An entry may move to the gap when that lies between its home and its place.
            if distance(self.home(tag), place) >= distance(gap, place) {
                slot::copy(slot, hole);
                gap = place;
            }
            place = next(place);
        }
        if let Some(hole) = self.slots.get(gap) {
            slot::clear(hole);
        }
    }

    /// Drops the entries that are neutral at `now`, except those of `keep`, and says
    /// how many. A region that just proved to be full of live entries is not looked through.
    pub(super) fn drop_neutral(&self, quotas: &Quotas, now: Timestamp, keep: &[Seat<'_>]) -> usize {
        let searched = &self.held.lock().searched;
        let since = now
            .as_micros()
            .wrapping_sub(searched.load(Ordering::Relaxed));
        if since < REST {
            return 0;
        }
        let mut dropped = 0_usize;
        for (place, slot) in self.slots.iter().enumerate() {
            while self.is_neutral(slot, quotas, now, keep) {
                self.remove(place);
                self.leave();
                dropped = dropped.saturating_add(1);
            }
        }
        if dropped == 0 {
            searched.store(now.as_micros(), Ordering::Relaxed);
        }
        dropped
    }

    fn is_neutral(&self, slot: &Slot, quotas: &Quotas, now: Timestamp, keep: &[Seat<'_>]) -> bool {
        let tag = slot::tag(slot);
        if tag == 0 || keep.iter().any(|seat| seat.address.tag == tag) {
            return false;
        }
        let (quota, state) = slot::read(slot);
        quotas
            .get(quota)
            .is_some_and(|quota| quota.is_neutral(&state, now))
    }

    fn home(&self, tag: u64) -> usize {
        spread(tag, self.slots.len())
    }

    fn used(&self) -> usize {
        self.held.lock().used.load(Ordering::Relaxed) as usize
    }

    fn set_used(&self, used: usize) {
        let used = u32::try_from(used).unwrap_or(u32::MAX);
        self.held.lock().used.store(used, Ordering::Relaxed);
    }
}

/// The place of an entry among the slots of a region. The slots from its home on are compared
/// without a branch for each: where it stands among them, nobody can predict.
#[inline]
pub(super) fn find(slots: &[Slot], tag: u64) -> Option<usize> {
    let home = spread(tag, slots.len());
    if let Some(near) = slots.get(home..)?.first_chunk::<NEAR>() {
        let found = near.iter().rev().fold(0_usize, |found, slot| {
            found << 1 | usize::from(slot::tag(slot) == tag)
        });
        if found != 0 {
            return Some(home.wrapping_add(found.trailing_zeros() as usize));
        }
    }
    find_further(slots, home, tag)
}

/// The place of an entry, slot by slot.
#[inline(never)]
fn find_further(slots: &[Slot], home: usize, tag: u64) -> Option<usize> {
    let around = (home..slots.len()).chain(0..home);
    for place in around {
        match slot::tag(slots.get(place)?) {
            found if found == tag => return Some(place),
            0 => return None,
            _ => {}
        }
    }
    None
}
