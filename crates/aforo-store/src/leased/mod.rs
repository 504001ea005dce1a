//! A store that spends units which it has taken in advance.

mod asking;
mod lease;
mod table;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aforo_core::{Charge, OnDenial, Outcome, Timestamp, Verdict};
use smallvec::SmallVec;

use self::lease::{Lease, can_be_leased};
use self::table::{Table, key_of};
use crate::{Answer, Batch, Charged, Clock, Receipt, Store};

/// A store in front of a shared one, which takes units of hot partition keys in advance and spends
/// them at once, without asking.
///
/// A partition key that asks twice within a second is hot: the shared store is asked for the
/// charge and an advance in one round trip, and the following charges are answered from it. The
/// advance starts at 4 units, doubles whenever it is used up, and is at most a tenth of the
/// capacity, rounded down: a capacity below 10 is never leased. If the charge and the advance do
/// not fit, the charge alone is asked for; nothing is taken in advance for a second then.
///
/// # Bound
///
/// A lease lives for a second at most, from when it was asked for, by this store's clock, and
/// never across the edge of a fixed window. An instance has one lease of a policy and partition
/// key at a time. So in any span all instances together admit at most
/// `instances × ⌊capacity / 10⌋` units more than the shared store alone would: those that were
/// taken before the span and are spent in it; a bucket no more than what flows back in a second,
/// rounded up, either. A fixed window admits no more than its quota.
///
/// What is held in advance is not there for others. So a caller can be denied while instances hold
/// up to as much, and the shared store's own view of usage is ahead by it.
///
/// # What is left
///
/// What a lease has left at its end is given back at the next charge of its key, or with some
/// other charge that asks the shared store. There is no background work. What an instance holds
/// when it dies stays taken, and so does what the shared store fails to take back.
///
/// # What is exact
///
/// Leaky buckets, sliding logs, shadow charges and charges that count denials; everything when
/// 65,536 partition keys are known already. An outcome from a lease says what the shared store
/// said, and adds what the lease has left.
///
/// ```
/// use std::sync::Arc;
/// use aforo_store::{LeasedStore, MemoryStore, SystemClock};
///
/// // Any shared store; memory stands for one here.
/// let shared = Arc::new(MemoryStore::new());
/// let leased = LeasedStore::new(shared, Arc::new(SystemClock::new()));
/// assert_eq!(leased.stats().leases, 0);
/// ```
pub struct LeasedStore {
    inner: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    table: Table,
    answered: AtomicU64,
    given_back: AtomicU64,
}

/// What a leased store has done since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeaseStats {
    /// Leases that the shared store gave.
    pub leases: u64,
    /// Batches that were answered without asking it.
    pub answered: u64,
    /// Units that were taken in advance, not spent, and taken back by it.
    pub given_back: u64,
}

impl LeasedStore {
    /// Takes in advance from `inner`; leases live by `clock`.
    pub fn new(inner: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self {
            inner,
            clock,
            table: Table::new(),
            answered: AtomicU64::new(0),
            given_back: AtomicU64::new(0),
        }
    }

    /// What it has done.
    pub fn stats(&self) -> LeaseStats {
        LeaseStats {
            leases: self.table.leases(),
            answered: self.answered.load(Ordering::Relaxed),
            given_back: self.given_back.load(Ordering::Relaxed),
        }
    }

    /// Spends a batch from the leases, if they cover all of it.
    fn spend(&self, batch: &Batch<'_>) -> Option<Charged> {
        if batch.charges().is_empty() {
            return None;
        }
        let now = self.clock.now();
        let mut receipt = Receipt::empty();
        let mut outcomes = SmallVec::new();
        let mut spent = SmallVec::<[(usize, u64); 4]>::new();
        let mut by_principal = false;
        for (place, charge) in batch.charges().iter().enumerate() {
            let covered = self.spend_one(charge, now, |lease| {
                receipt.push(lease.line_of(place, charge.cost));
                outcomes.push(lease.outcome(now));
                spent.push((place, lease.number));
                by_principal |= lease.principal.is_some();
            });
            if !covered {
                self.unspend(batch, &spent);
                return None;
            }
        }
        let receipt = match by_principal {
            true => receipt.with_principals(batch.charges().iter().map(|c| c.principal.hash)),
            false => receipt,
        };
        self.answered.fetch_add(1, Ordering::Relaxed);
        Some(Charged {
            taken: true,
            outcomes,
            receipt: receipt.with_leases(spent),
        })
    }

    fn spend_one(&self, charge: &Charge<'_>, now: Timestamp, note: impl FnOnce(&Lease)) -> bool {
        let spent = self.table.with(key_of(charge), |lease| {
            let spent = can_be_leased(charge)
                && lease.lives(charge.terms.quota(), now)
                && lease.spend(charge.cost);
            if spent {
                note(lease);
            }
            spent
        });
        spent.unwrap_or(false)
    }

    /// Puts back what a batch spent that is not covered as a whole.
    fn unspend(&self, batch: &Batch<'_>, spent: &[(usize, u64)]) {
        for (charge, (_, number)) in batch.charges().iter().zip(spent) {
            self.table.with(key_of(charge), |lease| {
                if lease.number == *number {
                    lease.unspend(charge.cost);
                }
            });
        }
    }

    /// Corrects downwards what was spent from leases that are still here: they give it back with
    /// what they have left. It is not spent again, which would admit more than the bound. What
    /// remains of the receipt is the shared store's.
    fn take_back(&self, receipt: &mut Receipt, true_cost: &dyn Fn(usize) -> u64) {
        let mut done = SmallVec::<[usize; 4]>::new();
        for line in receipt.lines() {
            let Some(over) = line.taken.cost.checked_sub(true_cost(line.place)) else {
                continue;
            };
            let Some(number) = receipt.lease(line.place) else {
                continue;
            };
            let here = self.table.with((line.tag, line.partition), |lease| {
                let here = lease.number == number;
                if here {
                    lease.spent = lease.spent.saturating_sub(over);
                }
                here
            });
            if here == Some(true) {
                done.push(line.place);
            }
        }
        receipt.retain(|place| !done.contains(&place));
    }

    /// Adds what the leases have left to what the shared store says.
    fn add_left(&self, batch: &Batch<'_>, charged: &mut Charged) {
        let now = self.clock.now();
        for (charge, outcome) in batch.charges().iter().zip(&mut charged.outcomes) {
            self.table.with(key_of(charge), |lease| {
                if can_be_leased(charge) && lease.lives(charge.terms.quota(), now) {
                    add(lease, charge.cost, outcome);
                }
            });
        }
        let denies = |(charge, outcome): (&Charge<'_>, &Outcome)| {
            charge.mode == aforo_core::Mode::Enforce && !outcome.is_allowed()
        };
        charged.taken = !batch.charges().iter().zip(&charged.outcomes).any(denies);
    }
}

/// Adds what a lease has left to an outcome of a charge of `cost`.
fn add(lease: &Lease, cost: u64, outcome: &mut Outcome) {
    let remaining = outcome.remaining.saturating_add(lease.left);
    outcome.remaining = remaining.min(outcome.capacity);
    if outcome.verdict == Verdict::Denied && lease.left >= cost {
        outcome.remaining = outcome.remaining.saturating_sub(cost);
        outcome.verdict = Verdict::Allowed;
        outcome.wait = aforo_core::Span::ZERO;
    }
}

impl Store for LeasedStore {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        let takes_denials = |charge: &Charge<'_>| charge.on_denial == OnDenial::Take;
        if batch.charges().iter().any(takes_denials) {
            return self.inner.charge(batch);
        }
        match self.spend(batch) {
            Some(charged) => Answer::ready(charged),
            None => Answer::waiting(self.ask(batch)),
        }
    }

    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        Answer::waiting(async move {
            let mut charged = self.inner.peek(batch).await?;
            self.add_left(batch, &mut charged);
            Ok(charged)
        })
    }

    fn refund(&self, mut receipt: Receipt) -> Answer<'_, ()> {
        self.take_back(&mut receipt, &|_| 0);
        if receipt.lines().is_empty() {
            return Answer::ready(());
        }
        Answer::waiting(async move { self.inner.refund(receipt).await })
    }

    fn settle<'a>(
        &'a self,
        mut receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()> {
        self.take_back(&mut receipt, &true_cost);
        if receipt.lines().is_empty() {
            return Answer::ready(());
        }
        Answer::waiting(async move { self.inner.settle(receipt, true_cost).await })
    }

    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()> {
        Answer::waiting(async move {
            // What the leases hold is gone with the counter.
            drop(self.end(batch));
            self.inner.reset(batch).await
        })
    }
}
