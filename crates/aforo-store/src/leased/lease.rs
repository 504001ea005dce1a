//! Units that an instance has taken in advance.

use aforo_core::Verdict;
use aforo_core::{
    Algorithm, Charge, Mode, OnDenial, Outcome, PartitionHash, Quota, Span, Timestamp,
};

use crate::{Receipt, ReceiptLine};

/// How long a lease lives at most.
pub(super) const LIFE: Span = Span::from_seconds(1);

/// Units of one policy and partition key that are taken in the store and spent here.
#[derive(Debug)]
pub(super) struct Lease {
    /// Which one it is.
    pub(super) number: u64,
    /// What the store gave for it: the first request's cost and the advance.
    pub(super) line: ReceiptLine,
    /// For a store that keeps counters by principal.
    pub(super) principal: Option<PartitionHash>,
    /// Units that are spent by now.
    pub(super) spent: u64,
    /// Units that may still be spent.
    pub(super) left: u64,
    /// Units that were taken in advance.
    pub(super) advance: u64,
    /// When the store was asked: the lease lives from here.
    pub(super) sent: Timestamp,
    /// When it ends.
    pub(super) until: Timestamp,
    /// What the store answered.
    pub(super) outcome: Outcome,
}

/// The most that an instance takes of a quota in advance: a tenth of its capacity, rounded down.
pub(super) const fn most_in_advance(quota: &Quota) -> u64 {
    match quota.algorithm() {
        Algorithm::TokenBucket | Algorithm::FixedWindow | Algorithm::SlidingWindow => {
            quota.capacity() / 10
        }
        _ => 0,
    }
}

/// Whether a charge can be spent from a lease.
pub(super) fn can_be_leased(charge: &Charge<'_>) -> bool {
    charge.mode == Mode::Enforce
        && charge.on_denial == OnDenial::Keep
        && most_in_advance(charge.terms.quota()) > 0
}

impl Lease {
    /// When a lease ends that was asked for at `sent`: after its life, and before the edge of a
    /// fixed window. One without a known edge ends at once.
    pub(super) fn end(quota: &Quota, outcome: &Outcome, sent: Timestamp) -> Timestamp {
        let life = match (quota.algorithm(), outcome.edge) {
            (Algorithm::FixedWindow, Some(edge)) => edge.since(outcome.at).min(LIFE),
            (Algorithm::FixedWindow, None) => Span::ZERO,
            _ => LIFE,
        };
        sent.plus(life)
    }

    /// Whether it can be spent from now, under this quota.
    pub(super) fn lives(&self, quota: &Quota, now: Timestamp) -> bool {
        self.sent <= now && now < self.until && self.line.quota == *quota
    }

    /// Spends some of it, if it holds so much.
    pub(super) fn spend(&mut self, cost: u64) -> bool {
        let Some(left) = self.left.checked_sub(cost) else {
            return false;
        };
        self.left = left;
        self.spent = self.spent.saturating_add(cost);
        true
    }

    /// Undoes [`Lease::spend`] for a request that did not go on.
    pub(super) fn unspend(&mut self, cost: u64) {
        self.left = self.left.saturating_add(cost);
        self.spent = self.spent.saturating_sub(cost);
    }

    /// What a charge that was spent from it comes to: the store's own answer, and what is left.
    pub(super) fn outcome(&self, now: Timestamp) -> Outcome {
        let elapsed = now.since(self.sent);
        let outcome = self.outcome;
        let remaining = outcome.remaining.saturating_add(self.left);
        Outcome {
            verdict: Verdict::Allowed,
            remaining: remaining.min(outcome.capacity),
            wait: Span::ZERO,
            next_unit: shorter(outcome.next_unit, elapsed),
            whole_again: shorter(outcome.whole_again, elapsed),
            at: outcome.at.plus(elapsed),
            ..outcome
        }
    }

    /// The line of a charge that was spent from it. The store takes it back like any other.
    pub(super) fn line_of(&self, place: usize, cost: u64) -> ReceiptLine {
        let mut line = self.line;
        line.place = place;
        line.taken.cost = cost;
        line
    }

    /// Whether something is to be given back at its end.
    pub(super) const fn is_over_taken(&self) -> bool {
        self.spent < self.line.taken.cost
    }

    /// What the store gave for it.
    pub(super) fn into_receipt(self) -> Receipt {
        let mut receipt = match self.principal {
            Some(principal) => Receipt::of_principals([principal]),
            None => Receipt::empty(),
        };
        receipt.push(ReceiptLine {
            place: 0,
            ..self.line
        });
        receipt
    }
}

/// A wait some time later. One that is over without an answer of the store is told as the shortest.
fn shorter(wait: Span, elapsed: Span) -> Span {
    let rest = wait.as_micros().saturating_sub(elapsed.as_micros());
    Span::from_micros(rest.max(wait.as_micros().min(1)))
}
