//! The least store there can be: one policy, one partition key, charges one at a time.

use crate::{Edges, Log, Outcome, Quota, State, Stored, Taken, Timestamp};

/// What is kept for one policy and partition key, whichever algorithm counts.
#[derive(Clone, Debug, Default)]
pub struct Counter {
    kept: Kept,
}

#[derive(Clone, Debug, Default)]
enum Kept {
    #[default]
    Nothing,
    State(Stored),
    Log(Log),
}

impl Counter {
    /// Takes the charge if it fits.
    pub fn charge(
        &mut self,
        quota: &Quota,
        now: Timestamp,
        edges: Option<&Edges>,
        cost: u64,
    ) -> (Outcome, Taken) {
        if quota.algorithm() == crate::Algorithm::SlidingLog {
            return self.charge_log(quota, now, cost);
        }
        let stored = match &self.kept {
            Kept::Nothing => None,
            Kept::State(stored) => Some(*stored),
            Kept::Log(log) => log.stored(),
        };
        let assessment = quota.assess(stored.as_ref(), now, edges, cost);
        if let Some(state) = assessment.state(true) {
            self.put(quota, state);
        }
        (assessment.outcome(true), assessment.taken())
    }

    fn charge_log(&mut self, quota: &Quota, now: Timestamp, cost: u64) -> (Outcome, Taken) {
        let mut log = match &self.kept {
            Kept::Nothing => Log::default(),
            Kept::State(stored) => Log::carried(quota, stored),
            Kept::Log(log) => log.clone(),
        };
        let assessment = quota.assess_log(&log, now, cost);
        let taken = assessment.apply(&mut log, true);
        if assessment.writes(true) {
            self.kept = Kept::Log(log);
        }
        (assessment.outcome(true), taken)
    }

    /// Gives back units of an earlier charge.
    pub fn give_back(&mut self, quota: &Quota, taken: &Taken, units: u64, now: Timestamp) {
        match &mut self.kept {
            Kept::Nothing => {}
            Kept::State(stored) => {
                if let Some(state) = quota.give_back(stored, taken, units, now) {
                    self.put(quota, state);
                }
            }
            Kept::Log(log) => {
                log.give_back(taken, units);
            }
        }
    }

    /// The state, where one of numbers is kept.
    pub const fn state(&self) -> Option<&Stored> {
        match &self.kept {
            Kept::State(stored) => Some(stored),
            Kept::Nothing | Kept::Log(_) => None,
        }
    }

    /// The log, where one is kept.
    pub const fn log(&self) -> Option<&Log> {
        match &self.kept {
            Kept::Log(log) => Some(log),
            Kept::Nothing | Kept::State(_) => None,
        }
    }

    /// Forgets everything, as a store does that drops a neutral state.
    pub fn forget(&mut self) {
        self.kept = Kept::Nothing;
    }

    fn put(&mut self, quota: &Quota, state: State) {
        let shape = quota.shape();
        self.kept = Kept::State(Stored { shape, state });
    }
}
