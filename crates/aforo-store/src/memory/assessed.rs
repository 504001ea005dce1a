//! One charge against an entry or a log.

use aforo_core::{Assessment, LogAssessment, Outcome, Verdict};

/// What a charge would do to the entry or the log that counts it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Assessed<'q> {
    Entry(Assessment<'q>),
    Log(LogAssessment<'q>),
}

impl Assessed<'_> {
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            Self::Entry(assessment) => assessment.verdict(),
            Self::Log(assessment) => assessment.verdict(),
        }
    }

    pub(super) fn fits(&self) -> bool {
        self.verdict() == Verdict::Allowed
    }

    pub(super) fn outcome(&self, taken: bool) -> Outcome {
        match self {
            Self::Entry(assessment) => assessment.outcome(taken),
            Self::Log(assessment) => assessment.outcome(taken),
        }
    }
}
