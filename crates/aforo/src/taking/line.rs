//! One policy of a request, when the stores have answered.

use std::sync::Arc;

use aforo_core::{Mode, Outcome, PolicyName, Quota, Span, Terms, Verdict};
use aforo_policy::{Counted, Disclosure, Planned, PlannedCharge, Share};

use crate::Judged;
use crate::http::{ShownPolicy, Standing};

/// One policy of a request, when the stores have answered. It borrows nothing, so that it can
/// wait for the response.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) measure: Measure,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) mode: Mode,
    pub(crate) disclosed: bool,
    pub(crate) counted: Counted,
    pub(crate) counts_denials: bool,
    pub(crate) cost: u64,
    pub(crate) own_cost: bool,
    pub(crate) taken: u64,
    pub(crate) seat: Option<Seat>,
    /// Which part of a team's pool it is.
    pub(crate) share: Option<Share>,
    /// Whether it takes no part: another part of the same pool stands for it.
    pub(crate) aside: bool,
}

/// What a policy measures by.
#[derive(Debug)]
pub(crate) enum Measure {
    /// Name and quota.
    Metered(Arc<Terms>),
    /// Quota 0: only a name.
    Blocked(PolicyName),
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
    #[inline]
    pub(crate) fn of(planned: &PlannedCharge<'_>) -> Self {
        let policy = planned.policy;
        let measure = match planned.metered {
            Some(metered) => Measure::Metered(Arc::clone(&metered.terms)),
            None => Measure::Blocked(policy.name.clone()),
        };
        let cost = match &planned.planned {
            Planned::Blocked => policy.cost.unwrap_or(1),
            Planned::Charge(charge) => charge.cost,
        };
        Self {
            measure,
            outcome: None,
            mode: policy.mode,
            disclosed: policy.disclose == Disclosure::Full,
            counted: policy.counted.clone(),
            counts_denials: policy.count_denials,
            cost,
            own_cost: policy.cost.is_some(),
            taken: 0,
            seat: None,
            share: policy.share,
            aside: policy.share == Some(Share::Rest),
        }
    }

    /// The same, to be looked at by itself, whatever part of a pool it is.
    pub(crate) fn alone(planned: &PlannedCharge<'_>) -> Self {
        Self {
            share: None,
            aside: false,
            ..Self::of(planned)
        }
    }

    /// The policy's name.
    pub(crate) fn name(&self) -> &PolicyName {
        match &self.measure {
            Measure::Metered(terms) => terms.name(),
            Measure::Blocked(name) => name,
        }
    }

    /// The policy's quota; `None` when it is 0.
    pub(crate) fn quota(&self) -> Option<&Quota> {
        match &self.measure {
            Measure::Metered(terms) => Some(terms.quota()),
            Measure::Blocked(_) => None,
        }
    }

    /// Whether this is a policy with quota 0.
    pub(crate) const fn blocks(&self) -> bool {
        matches!(self.measure, Measure::Blocked(_))
    }

    /// Whether it denied the request.
    pub(crate) fn is_violated(&self) -> bool {
        let fits = self.outcome.as_ref().is_none_or(Outcome::is_allowed);
        self.mode == Mode::Enforce && !self.aside && (self.blocks() || !fits)
    }

    /// Whether a response may speak of it: not of shadow policies, nor of lines counted already,
    /// nor of a member's own part that still holds, since more than that is open to it.
    pub(crate) fn is_shown(&self) -> bool {
        let counted_already = self.seat.is_some_and(|seat| seat.shared);
        let is_own_part = self.share == Some(Share::Guaranteed) && !self.is_violated();
        self.mode == Mode::Enforce && !counted_already && !self.aside && !is_own_part
    }

    /// What a response may say of it.
    pub(crate) fn shown(&self) -> Option<ShownPolicy<'_>> {
        self.is_shown().then(|| ShownPolicy {
            name: self.name().as_str(),
            disclosed: self.disclosed,
            violated: self.is_violated(),
            quota: self.quota(),
            outcome: self.outcome,
            taken: self.taken,
        })
    }

    /// How it stands, as far as the fields of a response that passed tell it.
    #[inline]
    pub(crate) fn standing(&self) -> Option<Standing<'_>> {
        if !self.is_shown() || !self.disclosed {
            return None;
        }
        let (terms, metered) = match &self.measure {
            Measure::Metered(terms) => {
                let outcome = self.outcome.as_ref()?;
                (Some(terms), Some((terms.quota(), outcome)))
            }
            Measure::Blocked(_) => (None, None),
        };
        let (name, violated) = (self.name().as_str(), self.is_violated());
        Some(Standing::new(name, metered, terms, violated, self.taken))
    }

    /// What the observer is told of it.
    pub(crate) fn judged(&self) -> Judged<'_> {
        let outcome = self.outcome.as_ref();
        Judged {
            policy: self.name().as_str(),
            mode: self.mode,
            fits: outcome.map_or(!self.blocks(), Outcome::is_allowed),
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
        let outcome = self.outcome.as_ref();
        let fits = outcome.is_some_and(|outcome| outcome.verdict == Verdict::Allowed);
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
