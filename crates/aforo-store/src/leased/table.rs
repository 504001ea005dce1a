//! The leases of an instance, and which partition keys are hot.

use std::collections::hash_map::Entry as Place;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aforo_core::{Charge, PartitionHash, Quota, Span, Timestamp};

use super::lease::{LIFE, Lease, most_in_advance};

/// Locks.
const SHARDS: usize = 16;
/// The bits of a hash that choose one.
const SHARD_MASK: u128 = 15;
/// Partition keys of a shard; all together 65,536.
const MOST_KEYS: usize = 4_096;
/// Units that the first lease of a hot partition key takes in advance.
const FIRST_ADVANCE: u64 = 4;
/// Partition keys that are looked at for being over, for each one that asks the store.
const SWEPT: usize = 2;

/// How long a partition key is known after it asked the store: until after its lease.
const KEPT: Span = LIFE.plus(LIFE);

/// A policy and a partition key.
pub(super) type Key = (u64, PartitionHash);

/// What is known of the partition keys that asked lately, within bounds.
#[derive(Debug)]
pub(super) struct Table {
    shards: [Mutex<Shard>; SHARDS],
    /// How many leases there have been.
    numbers: AtomicU64,
}

#[derive(Debug, Default)]
struct Shard {
    keys: HashMap<Key, Known>,
    /// The keys, in the order in which they are looked at for being over.
    order: VecDeque<Key>,
}

/// A partition key that asked lately.
#[derive(Debug)]
struct Known {
    lease: Option<Box<Lease>>,
    /// What the next lease takes in advance.
    advance: u64,
    /// When the store was asked last.
    asked: Timestamp,
    /// Until when nothing is taken in advance, since the store denied.
    cool_until: Timestamp,
    /// Whether a lease is under way: there is one at a time.
    asking: bool,
}

/// What to ask the store for.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) advance: u64,
    /// The lease that this ends, and others that are over.
    pub(super) ended: Vec<Lease>,
}

/// The key of a charge.
pub(super) fn key_of(charge: &Charge<'_>) -> Key {
    (charge.terms.tag(), charge.partition)
}

impl Table {
    pub(super) fn new() -> Self {
        Self {
            shards: Default::default(),
            numbers: AtomicU64::new(0),
        }
    }

    /// A number for a lease.
    pub(super) fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// How many leases there have been.
    pub(super) fn leases(&self) -> u64 {
        self.numbers.load(Ordering::Relaxed)
    }

    /// Does something with a key's lease, if there is one.
    pub(super) fn with<T>(&self, key: Key, act: impl FnOnce(&mut Lease) -> T) -> Option<T> {
        let mut shard = self.shard(key)?;
        shard.keys.get_mut(&key)?.lease.as_deref_mut().map(act)
    }

    /// How much to take in advance with a charge that its lease does not cover.
    pub(super) fn plan(&self, charge: &Charge<'_>, now: Timestamp) -> Plan {
        let key = key_of(charge);
        let Some(mut shard) = self.shard(key) else {
            return Plan::default();
        };
        let mut ended = shard.sweep(now);
        let known = match shard.known(key, now) {
            Some(known) if !known.asking => known,
            _ => return Plan { advance: 0, ended },
        };
        let quota = charge.terms.quota();
        if known.covers(quota, charge.cost, now) {
            return Plan { advance: 0, ended };
        }
        let advance = known.next_advance(quota, now);
        ended.extend(known.lease.take().map(|lease| *lease));
        let fits = charge
            .cost
            .checked_add(advance)
            .is_some_and(|units| units <= quota.capacity());
        let advance = if fits { advance } else { 0 };
        known.advance = advance;
        known.asked = now;
        known.asking = advance > 0;
        Plan { advance, ended }
    }

    /// Keeps a lease that was asked for.
    pub(super) fn keep(&self, key: Key, lease: Lease) {
        if let Some(mut shard) = self.shard(key)
            && let Some(known) = shard.keys.get_mut(&key)
        {
            known.lease = Some(Box::new(lease));
        }
    }

    /// A lease is no longer under way.
    pub(super) fn asked(&self, key: Key) {
        if let Some(mut shard) = self.shard(key)
            && let Some(known) = shard.keys.get_mut(&key)
        {
            known.asking = false;
        }
    }

    /// Ends a key's lease. After a denial nothing is taken in advance for a while.
    pub(super) fn end(&self, key: Key, cool_until: Timestamp) -> Option<Lease> {
        let mut shard = self.shard(key)?;
        let known = shard.keys.get_mut(&key)?;
        known.cool_until = cool_until;
        known.advance = 0;
        known.lease.take().map(|lease| *lease)
    }

    fn shard(&self, key: Key) -> Option<MutexGuard<'_, Shard>> {
        // The hash is keyed: nobody can aim at a shard.
        let place = usize::try_from(key.1.0 & SHARD_MASK).ok()?;
        let shard = self.shards.get(place)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shard {
    /// What is known of a key; `None` when there is no room for one more.
    fn known(&mut self, key: Key, now: Timestamp) -> Option<&mut Known> {
        let full = self.keys.len() >= MOST_KEYS;
        match self.keys.entry(key) {
            Place::Occupied(place) => Some(place.into_mut()),
            Place::Vacant(_) if full => None,
            Place::Vacant(place) => {
                self.order.push_back(key);
                Some(place.insert(Known {
                    lease: None,
                    advance: 0,
                    asked: Timestamp::EPOCH,
                    cool_until: now,
                    asking: false,
                }))
            }
        }
    }

    /// Forgets keys that have not asked for a while; their leases are to be given back.
    fn sweep(&mut self, now: Timestamp) -> Vec<Lease> {
        let mut ended = Vec::new();
        for _ in 0..SWEPT {
            let Some(key) = self.order.pop_front() else {
                break;
            };
            match self.keys.get(&key) {
                Some(known) if known.is_over(now) => {
                    let known = self.keys.remove(&key);
                    ended.extend(known.and_then(|known| known.lease).map(|lease| *lease));
                }
                _ => self.order.push_back(key),
            }
        }
        ended
    }
}

impl Known {
    fn covers(&self, quota: &Quota, cost: u64, now: Timestamp) -> bool {
        self.lease
            .as_ref()
            .is_some_and(|lease| lease.lives(quota, now) && lease.left >= cost)
    }

    /// Twice as much when the last lease was used up in its life, what was used of it when it was
    /// not; little when the key asks again within a lease's life; nothing otherwise.
    fn next_advance(&self, quota: &Quota, now: Timestamp) -> u64 {
        if now < self.cool_until && self.cool_until.since(now) <= LIFE {
            return 0;
        }
        let advance = match &self.lease {
            Some(lease) if lease.lives(quota, now) => {
                lease.advance.saturating_mul(2).max(FIRST_ADVANCE)
            }
            Some(lease) => lease.advance.saturating_sub(lease.left),
            None if is_within(LIFE, self.asked, now) => self.advance.max(FIRST_ADVANCE),
            None => 0,
        };
        advance.min(most_in_advance(quota))
    }

    fn is_over(&self, now: Timestamp) -> bool {
        let lives = |lease: &Lease| lease.sent <= now && now < lease.until;
        !self.asking
            && !is_within(KEPT, self.asked, now)
            && !self.lease.as_deref().is_some_and(lives)
    }
}

/// Whether it is within a span. What lies in the future is not: the clock was set back.
fn is_within(span: Span, then: Timestamp, now: Timestamp) -> bool {
    then <= now && now.since(then) < span
}
