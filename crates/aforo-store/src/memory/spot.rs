//! Where an entry stands, looked up before the lock of its region is held.

use super::lock::{Held, Lock};
use super::region;
use super::slot::{self, Slot};

/// A region that is not held, and where an entry was seen in it. All lines that the charge needs
/// are fetched at once, before the lock has the machine wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'t> {
    slots: &'t [Slot],
    lock: &'t Lock,
    tag: u64,
    seen: Option<&'t Slot>,
}

impl<'t> Spot<'t> {
    /// Looks for an entry.
    #[inline]
    pub(super) fn new(slots: &'t [Slot], lock: &'t Lock, tag: u64) -> Self {
        lock.look();
        let seen = region::find(slots, tag).and_then(|place| slots.get(place));
        Self {
            slots,
            lock,
            tag,
            seen,
        }
    }

    /// Waits for the region.
    #[inline]
    pub(super) fn hold(&self) -> Held<'t> {
        self.lock.take()
    }

    /// The entry, once the region is held.
    #[inline]
    pub(super) fn slot(&self) -> Option<&'t Slot> {
        match self.seen {
            Some(seen) if slot::tag(seen) == self.tag => Some(seen),
            // It was moved or made meanwhile, or there is none.
            _ => self.slots.get(region::find(self.slots, self.tag)?),
        }
    }
}
