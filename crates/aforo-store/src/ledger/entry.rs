//! One counter of a ledger.

use aforo_core::{Outcome, Quota, Taken, Timestamp};

use super::Address;
use super::counter::{Assessed, Counter};

/// A counter with what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// What it is found by.
    pub(crate) address: Address,
    /// What is kept; nothing before the first charge.
    pub(crate) counter: Option<Counter>,
    /// When it says no more than a new one would.
    pub(crate) neutral: Timestamp,
    /// What the store has to do.
    pub(crate) change: Change,
    /// The quota it was last put against, when it is to be written.
    pub(crate) quota: Option<Quota>,
    /// What was taken from it, to be given back when the call fails elsewhere.
    pub(crate) take: Option<Take>,
}

/// What a store has to do with a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing.
    Nothing,
    /// A charge of nothing was taken from a counter that is not there: where counters have names,
    /// the name is to be kept, since settling the charge has none.
    Open,
    /// Write it.
    Write,
    /// Remove it.
    Remove,
}

/// Units that were taken from a counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Take {
    /// The quota they were taken by.
    pub(crate) quota: Quota,
    /// When and how many.
    pub(crate) taken: Taken,
}

impl Entry {
    /// A counter that is not there.
    pub(crate) const fn empty(address: Address) -> Self {
        Self {
            address,
            counter: None,
            neutral: Timestamp::EPOCH,
            change: Change::Nothing,
            quota: None,
            take: None,
        }
    }

    /// A counter as a store keeps it.
    pub(crate) const fn loaded(address: Address, counter: Counter, neutral: Timestamp) -> Self {
        Self {
            address,
            counter: Some(counter),
            neutral,
            change: Change::Nothing,
            quota: None,
            take: None,
        }
    }

    /// Writes what was assessed: the charge when it is `taken`, otherwise what must be kept
    /// without it.
    pub(super) fn apply(&mut self, quota: &Quota, assessed: &Assessed<'_>, taken: bool) -> Taken {
        let (proof, counter) = assessed.apply(quota, self.counter.as_ref(), taken);
        if let Some(counter) = counter {
            self.counter = Some(counter);
            self.change = Change::Write;
            self.quota = Some(*quota);
            if taken && proof.cost > 0 {
                self.take = Some(Take {
                    quota: *quota,
                    taken: proof,
                });
            }
        }
        proof
    }

    /// Keeps the counter until it is whole again by the quota that it was put against. A counter
    /// that is not written otherwise is, when its quota became slower.
    pub(super) fn keep(&mut self, quota: &Quota, outcome: &Outcome) {
        let neutral = outcome.at.plus(outcome.whole_again);
        let outlives = self.counter.is_some() && neutral > self.neutral;
        if self.change == Change::Write || outlives {
            self.neutral = neutral;
            self.quota = Some(*quota);
            self.change = Change::Write;
        }
    }
}
