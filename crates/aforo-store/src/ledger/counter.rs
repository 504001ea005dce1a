//! What is kept of one policy and partition key.

use aforo_core::Algorithm;
use aforo_core::{
    Assessment, Edges, Log, LogAssessment, Outcome, Quota, Shape, Stored, Taken, Timestamp, Verdict,
};

/// A state or a sliding log.
#[derive(Clone, Debug)]
pub(crate) enum Counter {
    /// The state of any algorithm but the sliding log.
    State(Stored),
    /// A sliding log.
    Log(Log),
}

/// One charge put against one counter: nothing is taken yet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Assessed<'q> {
    State(Assessment<'q>),
    Log(LogAssessment<'q>),
}

impl Counter {
    /// The shape it was written in; an empty log has none that matters.
    pub(super) fn shape(&self) -> Option<Shape> {
        match self {
            Self::State(stored) => Some(stored.shape),
            Self::Log(log) if log.is_empty() => None,
            Self::Log(log) => log.shape(),
        }
    }

    /// Units that are used by the quota at `now`.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn used(&self, quota: &Quota, now: Timestamp) -> u64 {
        match self {
            // Its count says so whatever the edges of its calendar are.
            Self::State(stored) if stored.shape.algorithm == Algorithm::FixedWindow => {
                stored.state.first
            }
            _ => {
                let outcome = Self::assess(Some(self), quota, now, None, 0).outcome(false);
                outcome.capacity.saturating_sub(outcome.remaining)
            }
        }
    }

    /// The counter as a quota that is no sliding log reads it.
    fn stored(&self) -> Option<Stored> {
        match self {
            Self::State(stored) => Some(*stored),
            Self::Log(log) => log.stored(),
        }
    }

    /// The counter as a sliding log of the quota.
    fn log(counter: Option<&Self>, quota: &Quota) -> Log {
        match counter {
            None => Log::default(),
            Some(Self::State(stored)) => Log::carried(quota, stored),
            Some(Self::Log(log)) => log.clone(),
        }
    }

    /// Gives back units of what was taken; says whether that changed anything.
    pub(super) fn give_back(
        &mut self,
        quota: &Quota,
        taken: &Taken,
        units: u64,
        now: Timestamp,
    ) -> bool {
        match self {
            Self::State(stored) => match quota.give_back(stored, taken, units, now) {
                Some(state) => {
                    stored.state = state;
                    true
                }
                None => false,
            },
            Self::Log(log) => log.give_back(taken, units) > 0,
        }
    }

    /// Puts a charge of `cost` against it.
    pub(super) fn assess<'q>(
        counter: Option<&Self>,
        quota: &'q Quota,
        now: Timestamp,
        edges: Option<&Edges>,
        cost: u64,
    ) -> Assessed<'q> {
        if quota.algorithm() != Algorithm::SlidingLog {
            let stored = counter.and_then(Self::stored);
            return Assessed::State(quota.assess(stored.as_ref(), now, edges, cost));
        }
        Assessed::Log(match counter {
            Some(Self::Log(log)) => quota.assess_log(log, now, cost),
            other => quota.assess_log(&Self::log(other, quota), now, cost),
        })
    }
}

impl Assessed<'_> {
    pub(super) fn fits(&self) -> bool {
        let verdict = match self {
            Self::State(assessment) => assessment.verdict(),
            Self::Log(assessment) => assessment.verdict(),
        };
        verdict == Verdict::Allowed
    }

    pub(super) fn outcome(&self, taken: bool) -> Outcome {
        match self {
            Self::State(assessment) => assessment.outcome(taken),
            Self::Log(assessment) => assessment.outcome(taken),
        }
    }

    /// What a receipt says, and the counter to write, if any.
    pub(super) fn apply(
        &self,
        quota: &Quota,
        counter: Option<&Counter>,
        taken: bool,
    ) -> (Taken, Option<Counter>) {
        match self {
            Self::State(assessment) => {
                let shape = quota.shape();
                let state = assessment.state(taken);
                let written = state.map(|state| Counter::State(Stored { shape, state }));
                (assessment.taken(), written)
            }
            Self::Log(assessment) if assessment.writes(taken) => {
                let mut log = Counter::log(counter, quota);
                let proof = assessment.apply(&mut log, taken);
                (proof, Some(Counter::Log(log)))
            }
            Self::Log(assessment) => (assessment.apply(&mut Log::default(), false), None),
        }
    }
}
