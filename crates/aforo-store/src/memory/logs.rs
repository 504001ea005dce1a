//! The sliding logs, apart from the tables since they have no fixed size.

mod shelf;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use aforo_core::PrincipalKind;

use super::address::{Address, spread};
use super::seat::Seat;

pub(super) use shelf::{LogKey, Shelf};

/// Entries for each shelf, about: looking through one stays short.
const PER_SHELF: usize = 1 << 10;
/// The most shelves.
const SHELVES: usize = 1 << 10;

/// All logs, on shelves with a lock each; their entries share one budget, of which strangers get
/// three quarters at most.
#[derive(Debug)]
pub(super) struct Logs {
    shelves: Box<[Mutex<Shelf>]>,
    policies: OnceLock<Box<LoggedPolicy>>,
    budget: Budget,
    coalesced: AtomicU64,
    shared: AtomicU64,
}

/// The entries that may still be written.
#[derive(Debug)]
struct Budget {
    entries: AtomicUsize,
    strangers: AtomicUsize,
    max_entries: usize,
    max_strangers: usize,
}

/// A policy that ever had a log. The list only grows, at most by one for each policy.
#[derive(Debug)]
struct LoggedPolicy {
    tag: u64,
    next: OnceLock<Box<LoggedPolicy>>,
}

impl Logs {
    pub(super) fn new(max_entries: usize) -> Self {
        let shelves = max_entries.div_ceil(PER_SHELF).clamp(1, SHELVES);
        let spared = max_entries.div_ceil(4).min(max_entries.saturating_sub(1));
        Self {
            shelves: (0..shelves).map(|_| Mutex::default()).collect(),
            policies: OnceLock::new(),
            budget: Budget {
                entries: AtomicUsize::new(0),
                strangers: AtomicUsize::new(0),
                max_entries,
                max_strangers: max_entries.saturating_sub(spared),
            },
            coalesced: AtomicU64::new(0),
            shared: AtomicU64::new(0),
        }
    }

    /// Entries of all logs that are not shared.
    pub(super) fn entries(&self) -> usize {
        self.budget.entries.load(Relaxed)
    }

    pub(super) fn max_entries(&self) -> usize {
        self.budget.max_entries
    }

    /// How often a log joined its oldest two entries for want of room.
    pub(super) fn coalesced(&self) -> u64 {
        self.coalesced.load(Relaxed)
    }

    /// Charges put on a shared log.
    pub(super) fn shared(&self) -> u64 {
        self.shared.load(Relaxed)
    }

    /// The shelf that a charge needs, if its policy is or was counted by logs.
    #[inline]
    pub(super) fn shelf_for(&self, seat: &Seat<'_>) -> Option<usize> {
        let needed = seat.is_logged() || self.ever_logged(seat.policy);
        needed.then(|| self.shelf_of(seat.address))
    }

    /// The shelf of an address.
    pub(super) fn shelf_of(&self, address: Address) -> usize {
        spread(address.region, self.shelves.len())
    }

    /// Waits for a shelf. Shelves are taken in ascending order and before every region.
    pub(super) fn take(&self, shelf: usize) -> Option<MutexGuard<'_, Shelf>> {
        let shelf = self.shelves.get(shelf)?;
        Some(shelf.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn ever_logged(&self, policy: u64) -> bool {
        let mut link = &self.policies;
        while let Some(logged) = link.get() {
            if logged.tag == policy {
                return true;
            }
            link = &logged.next;
        }
        false
    }

    fn remember(&self, policy: u64) {
        let mut link = &self.policies;
        loop {
            let logged = link.get_or_init(|| {
                Box::new(LoggedPolicy {
                    tag: policy,
                    next: OnceLock::new(),
                })
            });
            if logged.tag == policy {
                return;
            }
            link = &logged.next;
        }
    }

    fn count_shared(&self) {
        self.shared.fetch_add(1, Relaxed);
    }

    fn count_coalesced(&self) {
        self.coalesced.fetch_add(1, Relaxed);
    }
}

impl Budget {
    /// Takes room for so many entries, all or none.
    fn take(&self, kind: PrincipalKind, entries: usize) -> bool {
        if !take(&self.entries, entries, self.max_entries) {
            return false;
        }
        let stranger = kind == PrincipalKind::Stranger;
        if stranger && !take(&self.strangers, entries, self.max_strangers) {
            self.entries.fetch_sub(entries, Relaxed);
            return false;
        }
        true
    }

    fn give(&self, kind: PrincipalKind, entries: usize) {
        self.entries.fetch_sub(entries, Relaxed);
        if kind == PrincipalKind::Stranger {
            self.strangers.fetch_sub(entries, Relaxed);
        }
    }
}

fn take(count: &AtomicUsize, entries: usize, max: usize) -> bool {
    count
        .fetch_update(Relaxed, Relaxed, |held| {
            held.checked_add(entries).filter(|sum| *sum <= max)
        })
        .is_ok()
}
