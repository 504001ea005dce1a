//! The plainest store there can be: a map of what the pure core says.

use std::collections::HashMap;

use aforo_core::{
    Algorithm, Charge, Edges, Log, Mode, OnDenial, Outcome, PartitionHash, Principal,
    PrincipalKind, Quota, Stored, Taken, Timestamp,
};

use super::caller::{charge, terms};
use crate::ReceiptLine;

/// What other stores are compared with.
#[derive(Clone, Debug, Default)]
pub(super) struct Reference {
    kept: HashMap<Id, Kept>,
}

/// Policy, principal's kind and partition key.
type Id = (u64, PrincipalKind, PartitionHash);

#[derive(Clone, Debug)]
struct Kept {
    counter: Counter,
    /// What it was last written by.
    quota: Quota,
}

#[derive(Clone, Debug)]
enum Counter {
    State(Stored),
    Log(Log),
}

/// A charge put against what is kept: nothing is written yet.
struct Put {
    outcome: Outcome,
    taken: Taken,
    counter: Option<Counter>,
}

impl Reference {
    /// The outcomes of a batch, whether it was taken, and the lines of its receipt.
    pub(super) fn charge(
        &mut self,
        charges: &[Charge<'_>],
        now: Timestamp,
    ) -> (bool, Vec<Outcome>, Vec<ReceiptLine>) {
        let fits: Vec<bool> = charges
            .iter()
            .map(|charge| {
                self.put(charge, charge.cost, now, false)
                    .outcome
                    .is_allowed()
            })
            .collect();
        let enforced = |(charge, fits): (&Charge<'_>, &bool)| charge.mode == Mode::Shadow || *fits;
        let taken = charges.iter().zip(&fits).all(enforced);
        let mut outcomes = Vec::new();
        let mut lines = Vec::new();
        for (place, (charge, fits)) in charges.iter().zip(fits).enumerate() {
            if !taken && charge.on_denial == OnDenial::Take {
                outcomes.push(self.fill(charge, fits, now));
                continue;
            }
            let put = self.put(charge, charge.cost, now, taken && fits);
            outcomes.push(put.outcome);
            if taken && fits {
                lines.push(line(place, charge, put.taken));
            }
            self.keep(charge, put.counter);
        }
        (taken, outcomes, lines)
    }

    /// Whether the state is neutral by the quota that wrote it, but in another shape than the
    /// charge's: what such a state still says is up to the store.
    pub(super) fn is_open(&self, charge: &Charge<'_>, now: Timestamp) -> bool {
        let Some(kept) = self.kept.get(&id(charge)) else {
            return false;
        };
        let (shape, neutral) = match &kept.counter {
            Counter::State(stored) => (
                Some(stored.shape),
                kept.quota.is_neutral(&stored.state, now),
            ),
            Counter::Log(log) => (log.shape(), log.is_neutral(now)),
        };
        neutral && shape != Some(charge.terms.quota().shape())
    }

    pub(super) fn give_back(&mut self, line: &ReceiptLine, units: u64, now: Timestamp) {
        let Some(kept) = self.kept.get_mut(&line_id(line)) else {
            return;
        };
        match &mut kept.counter {
            Counter::State(stored) => {
                if let Some(state) = line.quota.give_back(stored, &line.taken, units, now) {
                    stored.state = state;
                }
            }
            Counter::Log(log) => {
                log.give_back(&line.taken, units);
            }
        }
    }

    /// Takes more for a line, up to the capacity.
    pub(super) fn take_more(&mut self, line: &ReceiptLine, units: u64, now: Timestamp) {
        let shape = match self.kept.get(&line_id(line)).map(|kept| &kept.counter) {
            Some(Counter::State(stored)) => Some(stored.shape),
            Some(Counter::Log(log)) if !log.is_empty() => log.shape(),
            Some(Counter::Log(_)) | None => None,
        };
        if shape.is_some_and(|shape| shape != line.taken.shape) {
            return;
        }
        let terms = terms("taken-more", line.quota);
        let principal = Principal {
            kind: line.kind,
            hash: line.partition,
        };
        let mut charge = charge(&terms, principal, units);
        if line.quota.algorithm() == Algorithm::FixedWindow {
            let end = line.taken.mark;
            if now.as_micros() >= end {
                return;
            }
            let edges = [0, 1, end, end.saturating_add(1)].map(Timestamp::from_micros);
            charge.edges = Edges::new(edges);
        }
        let id = line_id(line);
        let fits = self.put_on(id, &charge, units, now, false).outcome;
        let units = match fits.is_allowed() {
            true => units,
            false => fits.remaining.min(units),
        };
        let put = self.put_on(id, &charge, units, now, true);
        self.keep_on(id, line.quota, put.counter);
    }

    pub(super) fn reset(&mut self, charge: &Charge<'_>) {
        self.kept.remove(&id(charge));
    }

    fn fill(&mut self, charge: &Charge<'_>, fits: bool, now: Timestamp) -> Outcome {
        let remaining = self.put(charge, charge.cost, now, false).outcome.remaining;
        let units = match fits {
            true => charge.cost,
            false => charge.cost.min(remaining),
        };
        let put = self.put(charge, units, now, true);
        self.keep(charge, put.counter);
        match fits {
            true => put.outcome,
            false => self.put(charge, charge.cost, now, false).outcome,
        }
    }

    fn put(&self, charge: &Charge<'_>, cost: u64, now: Timestamp, taken: bool) -> Put {
        self.put_on(id(charge), charge, cost, now, taken)
    }

    fn put_on(&self, id: Id, charge: &Charge<'_>, cost: u64, now: Timestamp, taken: bool) -> Put {
        let quota = charge.terms.quota();
        let counter = self.kept.get(&id).map(|kept| &kept.counter);
        if quota.algorithm() == Algorithm::SlidingLog {
            let mut log = match counter {
                None => Log::default(),
                Some(Counter::State(stored)) => Log::carried(quota, stored),
                Some(Counter::Log(log)) => log.clone(),
            };
            let assessment = quota.assess_log(&log, now, cost);
            let proof = assessment.apply(&mut log, taken);
            return Put {
                outcome: assessment.outcome(taken),
                taken: proof,
                counter: assessment.writes(taken).then_some(Counter::Log(log)),
            };
        }
        let stored = match counter {
            None => None,
            Some(Counter::State(stored)) => Some(*stored),
            Some(Counter::Log(log)) => log.stored(),
        };
        let assessment = quota.assess(stored.as_ref(), now, charge.edges.as_ref(), cost);
        let shape = quota.shape();
        Put {
            outcome: assessment.outcome(taken),
            taken: assessment.taken(),
            counter: assessment
                .state(taken)
                .map(|state| Counter::State(Stored { shape, state })),
        }
    }

    fn keep(&mut self, charge: &Charge<'_>, counter: Option<Counter>) {
        self.keep_on(id(charge), *charge.terms.quota(), counter);
    }

    fn keep_on(&mut self, id: Id, quota: Quota, counter: Option<Counter>) {
        if let Some(counter) = counter {
            self.kept.insert(id, Kept { counter, quota });
        }
    }
}

fn id(charge: &Charge<'_>) -> Id {
    (charge.terms.tag(), charge.principal.kind, charge.partition)
}

fn line_id(line: &ReceiptLine) -> Id {
    (line.tag, line.kind, line.partition)
}

fn line(place: usize, charge: &Charge<'_>, taken: Taken) -> ReceiptLine {
    ReceiptLine {
        place,
        tag: charge.terms.tag(),
        kind: charge.principal.kind,
        partition: charge.partition,
        quota: *charge.terms.quota(),
        taken,
        shared: false,
    }
}
