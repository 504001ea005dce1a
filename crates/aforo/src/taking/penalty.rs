//! Blocks that follow denials, longer each time.
//!
//! They are counters beside the policy's, for the same partition key. A request first looks whether
//! a block runs, since taking is not looking: only a denial takes from them. Between the look and
//! the charge another request may begin a block; the policy's own quota holds meanwhile.

use aforo_core::{Charge, Mode, OnDenial, Outcome, Span, Terms, Verdict};
use aforo_policy::{Penalty, Planned, PlannedCharge, Policy};
use aforo_store::Batch;
use smallvec::SmallVec;

use super::{How, Put, Taking};

/// For each policy with a penalty: its line, and what is left of its blocks of late.
pub(super) type Lately = SmallVec<[(usize, u64); 2]>;

/// What a look at a penalty shows.
struct Seen {
    /// How the policy stands by itself.
    own: Outcome,
    /// How long a block still runs; zero when none does.
    block: Span,
    /// What is left of the blocks of late.
    left: u64,
}

impl Taking<'_> {
    /// Looks whether blocks run: then the request is denied until the longest of them and of the
    /// policy's own wait is over. A store that fails shows none.
    pub(super) async fn look_at_penalties(&mut self, put: Put<'_>) -> Lately {
        let mut lately = Lately::new();
        if self.is_blocked() {
            return lately;
        }
        for (index, planned) in put.planned.iter().enumerate() {
            let Some((charge, penalty)) = penalised(planned) else {
                continue;
            };
            let Some(seen) = look(charge, penalty, planned, put).await else {
                continue;
            };
            lately.push((index, seen.left));
            let is_possible = seen.own.verdict != Verdict::Impossible;
            if is_possible && !seen.block.is_zero() {
                self.deny(index, seen.own, seen.block);
            }
        }
        if put.how == How::Take && self.is_denied() {
            self.count_denials(put).await;
            let violated = self.lines.iter().filter(|line| line.is_violated());
            violated.for_each(|line| put.observer.judged(&line.judged()));
        }
        lately
    }

    /// Begins the block that follows a policy's denial.
    pub(super) async fn penalise(&mut self, lately: &Lately, put: Put<'_>) {
        if put.how == How::Look {
            return;
        }
        for (index, left) in lately {
            let Some((charge, penalty)) = put.planned.get(*index).and_then(penalised) else {
                continue;
            };
            let Some(own) = self.own_denial(*index) else {
                continue;
            };
            let mut batch = Batch::new();
            let Some(block) = penalty.next(*left) else {
                continue;
            };
            batch.push(beside(charge, block, Mode::Enforce));
            // Where there were as many blocks as are counted, this one leaves their number.
            batch.push(beside(charge, penalty.blocked_lately(), Mode::Shadow));
            let place = put
                .planned
                .get(*index)
                .map(|planned| put.stores.place_of(planned.policy));
            let Some(store) = place.and_then(|place| put.stores.at(place)) else {
                continue;
            };
            let charged = store.ask(put.observer, |store| store.charge(&batch)).await;
            let outcome = charged
                .ok()
                .and_then(|charged| charged.outcomes.first().copied());
            if let Some(block) = outcome.map(|outcome| runs_for(&outcome)) {
                self.deny(*index, own, block);
            }
        }
    }

    /// The outcome of a policy that denied the request by itself, for now.
    fn own_denial(&self, index: usize) -> Option<Outcome> {
        let line = self.lines.get(index)?;
        let is_own = line.is_violated() && line.is_shown();
        line.outcome
            .filter(|outcome| is_own && outcome.verdict == Verdict::Denied)
    }

    /// Denies by a policy until a block is over, or its own wait where that is longer.
    fn deny(&mut self, index: usize, own: Outcome, block: Span) {
        let Some(line) = self.lines.get_mut(index) else {
            return;
        };
        let wait = own.wait.max(block);
        line.outcome = Some(Outcome {
            verdict: Verdict::Denied,
            remaining: 0,
            wait,
            next_unit: own.next_unit.max(wait),
            whole_again: own.whole_again.max(wait),
            // The window's edge is not when to come back.
            edge: own.edge.filter(|_| own.wait >= block && !own.is_allowed()),
            ..own
        });
    }

    /// What counts denials counts those that its own batch did not: by a block, or by a part of a
    /// pool.
    pub(super) async fn count_denials(&self, put: Put<'_>) {
        for (line, planned) in self.lines.iter().zip(put.planned) {
            let store = put.stores.at(put.stores.place_of(planned.policy));
            if let (Planned::Charge(charge), Some(store), true) =
                (&planned.planned, store, line.counts_denials)
            {
                let mut batch = Batch::new();
                batch.push(*charge);
                // A denial that could not be counted is noted where the store was asked.
                let _ = store.ask(put.observer, |store| store.charge(&batch)).await;
            }
        }
    }
}

impl Put<'_> {
    /// Whether a policy of the request has a penalty.
    pub(super) fn has_penalty(&self) -> bool {
        let mut policies = self.planned.iter().map(|planned| planned.policy);
        self.penalises && policies.any(|policy| policy.penalty.is_some())
    }
}

/// A charge whose policy has a penalty.
fn penalised<'c>(planned: &'c PlannedCharge<'_>) -> Option<(&'c Charge<'c>, &'c Penalty)> {
    match (&planned.planned, &planned.policy.penalty) {
        (Planned::Charge(charge), Some(penalty)) => Some((charge, penalty)),
        _ => None,
    }
}

/// Looks at a policy and its penalty, in one question.
async fn look(
    charge: &Charge<'_>,
    penalty: &Penalty,
    planned: &PlannedCharge<'_>,
    put: Put<'_>,
) -> Option<Seen> {
    let store = put.stores.at(put.stores.place_of(planned.policy))?;
    let mut batch = Batch::new();
    batch.push(*charge);
    // Of no cost, since an outcome tells what the whole batch would leave.
    batch.push(Charge {
        cost: 0,
        ..beside(charge, penalty.blocked_lately(), Mode::Shadow)
    });
    for block in penalty.blocks() {
        batch.push(beside(charge, block, Mode::Shadow));
    }
    let charged = store.ask(put.observer, |store| store.peek(&batch)).await;
    let outcomes = charged.ok()?.outcomes;
    let blocks = outcomes
        .iter()
        .skip(2)
        .filter(|outcome| !outcome.is_allowed());
    Some(Seen {
        own: *outcomes.first()?,
        block: blocks
            .map(|outcome| outcome.wait)
            .max()
            .unwrap_or(Span::ZERO),
        left: outcomes.get(1)?.remaining,
    })
}

/// Adds what a policy's penalty counts for the partition key of a charge.
pub(crate) fn push_penalty<'c>(batch: &mut Batch<'c>, charge: &Charge<'c>, policy: &'c Policy) {
    if let Some(penalty) = policy.penalty.as_deref() {
        let all = penalty.blocks().iter().chain([penalty.blocked_lately()]);
        for terms in all {
            batch.push(beside(charge, terms, Mode::Enforce));
        }
    }
}

/// One unit of a counter beside a policy's.
const fn beside<'c>(charge: &Charge<'c>, terms: &'c Terms, mode: Mode) -> Charge<'c> {
    Charge {
        terms,
        cost: 1,
        mode,
        on_denial: OnDenial::Keep,
        edges: None,
        ..*charge
    }
}

/// How long a block still runs: one that was there already, or one that begins.
const fn runs_for(outcome: &Outcome) -> Span {
    if outcome.is_allowed() {
        outcome.whole_again
    } else {
        outcome.wait
    }
}
