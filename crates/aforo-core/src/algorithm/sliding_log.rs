//! The exact log of admitted charges.

use alloc::collections::VecDeque;

use crate::{Outcome, Taken, Verdict};

/// The admitted charges of one partition key, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Log {
    entries: VecDeque<LogEntry>,
}

/// One admitted charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// When, in units since the epoch.
    pub at: u64,
    /// Units taken.
    pub cost: u64,
    /// Unique within its log.
    pub id: u64,
}

/// What a charge would do to a log.
#[derive(Clone, Copy, Debug)]
pub struct LogAssessment {
    verdict: Verdict,
}

impl Log {
    /// How many entries it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl LogAssessment {
    /// Whether the charge fits by itself.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The outcome, when the batch took this charge or did not.
    pub fn outcome(&self, taken: bool) -> Outcome {
        let _ = taken;
        todo!()
    }

    /// Brings the log up to date: drops what left the window, applies the clock rule and, when
    /// `taken`, adds the charge.
    pub fn apply(&self, log: &mut Log, taken: bool) -> Taken {
        let _ = (log, taken);
        todo!()
    }
}
