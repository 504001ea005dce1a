//! The spin lock of a few entries.

use super::atomics::{AtomicU32, AtomicU64, Ordering, relax};

/// A time that lies long ago, whatever the clock says.
const NEVER: u64 = 1 << 63;

/// A lock and what is counted under it, on a cache line of its own.
///
/// What it guards are relaxed atomics: taking the lock acquires, leaving it releases, so each
/// holder sees everything that the one before wrote.
#[repr(align(64))]
#[derive(Debug)]
pub(super) struct Lock {
    held: AtomicU32,
    /// Entries in use; read and written under the lock.
    pub(super) used: AtomicU32,
    /// When the entries were last looked through without finding one to drop, in microseconds.
    pub(super) searched: AtomicU64,
}

/// A lock that is held. Dropping it lets go.
#[derive(Debug)]
pub(super) struct Held<'t>(&'t Lock);

impl Lock {
    pub(super) fn new() -> Self {
        Self {
            held: AtomicU32::new(0),
            used: AtomicU32::new(0),
            searched: AtomicU64::new(NEVER),
        }
    }

    /// Waits for the lock.
    #[inline]
    pub(super) fn take(&self) -> Held<'_> {
        if !self.try_hold() {
            self.wait();
        }
        Held(self)
    }

    /// Takes the lock if nobody has it.
    pub(super) fn try_take(&self) -> Option<Held<'_>> {
        self.try_hold().then_some(Held(self))
    }

    #[inline]
    fn try_hold(&self) -> bool {
        self.held
            .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Has its line fetched, and gives whoever holds it a moment.
    #[inline]
    pub(super) fn look(&self) {
        #[cfg(not(loom))]
        if self.held.load(Ordering::Relaxed) != 0 {
            relax(0);
        }
    }

    #[cold]
    #[inline(never)]
    fn wait(&self) {
        let mut tries = 0_u32;
        loop {
            // Loom may show a load old values for ever; an exchange always sees the newest.
            let free = cfg!(loom) || self.held.load(Ordering::Relaxed) == 0;
            if free && self.try_hold() {
                return;
            }
            relax(tries);
            tries = tries.wrapping_add(1);
        }
    }
}

impl Held<'_> {
    /// The lock itself.
    pub(super) fn lock(&self) -> &Lock {
        self.0
    }
}

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.held.store(0, Ordering::Release);
    }
}
