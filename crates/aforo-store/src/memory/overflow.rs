//! Entries that are shared when a table is full.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64 as Counter, Ordering::Relaxed};

use aforo_core::State;

use super::address::Address;
use super::atomics::{AtomicU64, zeroed};
use super::lock::{Held, Lock};
use super::slot::{self, Slot, WORDS};

/// Shared entries of one policy.
const SHARED: usize = if cfg!(loom) { 2 } else { 1 << 10 };
/// Shared entries that one lock guards.
const GUARDED: usize = if cfg!(loom) { 1 } else { 1 << 6 };

/// The shared entries of each policy that ever needed them. The list only grows, at most by one
/// block for each policy, and is read without a lock.
#[derive(Debug)]
pub(super) struct Overflow {
    first: OnceLock<Box<Block>>,
    charges: Counter,
}

/// The shared entries of one policy.
#[derive(Debug)]
pub(super) struct Block {
    policy: u64,
    number: usize,
    words: Box<[AtomicU64]>,
    locks: Box<[Lock]>,
    next: OnceLock<Box<Block>>,
}

/// Which shared entry: the block's number in its table and the entry's place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'t> {
    block: &'t Block,
    entry: usize,
}

impl Overflow {
    pub(super) fn new() -> Self {
        Self {
            first: OnceLock::new(),
            charges: Counter::new(0),
        }
    }

    /// How many charges were put on a shared entry.
    pub(super) fn charges(&self) -> u64 {
        self.charges.load(Relaxed)
    }

    /// Counts a charge on a shared entry.
    pub(super) fn count(&self) {
        self.charges.fetch_add(1, Relaxed);
    }

    /// The shared entry of an address, if its policy ever needed one.
    pub(super) fn find(&self, policy: u64, address: Address) -> Option<Place<'_>> {
        let mut block = self.first.get()?;
        while block.policy != policy {
            block = block.next.get()?;
        }
        Some(Place::new(block, address))
    }

    /// The shared entry of an address, made when its policy never needed one before.
    pub(super) fn find_or_make(&self, policy: u64, address: Address) -> Place<'_> {
        let mut link = &self.first;
        let mut number = 0_usize;
        loop {
            let block = link.get_or_init(|| Box::new(Block::new(policy, number)));
            if block.policy == policy {
                return Place::new(block, address);
            }
            link = &block.next;
            number = number.saturating_add(1);
        }
    }
}

impl Block {
    fn new(policy: u64, number: usize) -> Self {
        Self {
            policy,
            number,
            words: zeroed(SHARED * WORDS),
            locks: (0..SHARED / GUARDED).map(|_| Lock::new()).collect(),
            next: OnceLock::new(),
        }
    }
}

impl<'t> Place<'t> {
    fn new(block: &'t Block, address: Address) -> Self {
        let entry = address.tag as usize % SHARED;
        Self { block, entry }
    }

    /// The order in which locks of one table's shared entries are taken, after all regions.
    pub(super) fn order(&self) -> (usize, usize) {
        (self.block.number, self.entry / GUARDED)
    }

    /// Waits for the entry's lock.
    pub(super) fn take(&self) -> Option<Held<'t>> {
        let lock = self.block.locks.get(self.entry / GUARDED)?;
        Some(lock.take())
    }

    /// What the entry holds. Its lock must be held.
    pub(super) fn read(&self) -> Option<(u32, State)> {
        let slot = self.slot()?;
        (slot::tag(slot) != 0).then(|| slot::read(slot))
    }

    /// Writes the entry. Its lock must be held.
    pub(super) fn write(&self, quota: u32, state: &State) {
        if let Some(slot) = self.slot() {
            slot::fill(slot, 1, quota, state);
        }
    }

    fn slot(&self) -> Option<&'t Slot> {
        self.block.words.as_chunks::<WORDS>().0.get(self.entry)
    }
}
