//! One policy of a request, when the stores have answered.

use aforo_core::{Mode, Outcome, PolicyName, Quota, Span, Verdict};
use aforo_policy::{Counted, Disclosure, Planned, PlannedCharge};

use crate::Judged;
use crate::http::ShownPolicy;

/// One policy of a request, when the stores have answered. It borrows nothing, so that it can
/// wait for the response.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) name: PolicyName,
    pub(crate) quota: Option<Quota>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) mode: Mode,
    pub(crate) disclosed: bool,
    pub(crate) counted: Counted,
    pub(crate) counts_denials: bool,
    pub(crate) cost: u64,
    pub(crate) own_cost: bool,
    pub(crate) taken: u64,
    pub(crate) seat: Option<Seat>,
}

/// Where a charge stands among the receipts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    /// The store's place.
    pub(crate) store: usize,
    /// The charge's place in the store's batch.
    pub(crate) place: usize,
    /// Whether an earlier line of the same policy and partition key stands there too.
    pub(crate) shared: bool,
}

impl Line {
    pub(crate) fn of(planned: &PlannedCharge<'_>) -> Self {
        let policy = planned.policy;
        let (quota, cost) = match &planned.planned {
            Planned::Blocked => (None, policy.cost.unwrap_or(1)),
            Planned::Charge(charge) => (Some(*charge.terms.quota()), charge.cost),
        };
        Self {
            name: policy.name.clone(),
            quota,
            outcome: None,
            mode: policy.mode,
            disclosed: policy.disclose == Disclosure::Full,
            counted: policy.counted.clone(),
            counts_denials: policy.count_denials,
            cost,
            own_cost: policy.cost.is_some(),
            taken: 0,
            seat: None,
        }
    }

    /// Whether this is a policy with quota 0.
    pub(crate) const fn blocks(&self) -> bool {
        self.quota.is_none()
    }

    /// Whether it denied the request.
    pub(crate) fn is_violated(&self) -> bool {
        let fits = self.outcome.is_none_or(|outcome| outcome.is_allowed());
        self.mode == Mode::Enforce && (self.blocks() || !fits)
    }

    /// What a response may say of it; nothing of shadow policies and of lines counted already.
    pub(crate) fn shown(&self) -> Option<ShownPolicy<'_>> {
        let counted_already = self.seat.is_some_and(|seat| seat.shared);
        (self.mode == Mode::Enforce && !counted_already).then(|| ShownPolicy {
            name: self.name.as_str(),
            disclosed: self.disclosed,
            violated: self.is_violated(),
            quota: self.quota.as_ref(),
            outcome: self.outcome,
            taken: self.taken,
        })
    }

    /// What the observer is told of it.
    pub(crate) fn judged(&self) -> Judged<'_> {
        let fits = self
            .outcome
            .map_or(!self.blocks(), |outcome| outcome.is_allowed());
        Judged {
            policy: self.name.as_str(),
            mode: self.mode,
            fits,
            cost: self.cost,
            taken: self.taken > 0,
        }
    }

    /// Whether its charge stands there.
    pub(crate) fn stands_at(&self, store: usize, place: usize) -> bool {
        self.seat
            .is_some_and(|seat| seat.store == store && seat.place == place)
    }

    /// The batch took this charge.
    pub(crate) fn was_taken(&mut self) {
        let fits = self
            .outcome
            .is_some_and(|outcome| outcome.verdict == Verdict::Allowed);
        self.taken = if fits { self.cost } else { 0 };
    }

    /// What was taken turned out to be `units`.
    pub(crate) fn corrected(&mut self, units: u64) {
        let Some(outcome) = &mut self.outcome else {
            return;
        };
        let back = self.taken.saturating_sub(units);
        let more = units.saturating_sub(self.taken);
        outcome.remaining = outcome
            .remaining
            .saturating_add(back)
            .saturating_sub(more)
            .min(outcome.capacity);
        if outcome.remaining == outcome.capacity {
            outcome.next_unit = Span::ZERO;
            outcome.whole_again = Span::ZERO;
        }
        self.taken = units;
    }
}
