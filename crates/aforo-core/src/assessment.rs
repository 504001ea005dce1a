//! One charge against one state.

use crate::{Outcome, State, Taken, Verdict};

/// What a charge would do to a state. Nothing is taken until a store writes what
/// [`Assessment::state`] says for what the whole batch decided.
#[derive(Clone, Copy, Debug)]
pub struct Assessment {
    verdict: Verdict,
}

impl Assessment {
    /// Whether the charge fits by itself.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The outcome, when the batch took this charge or did not.
    pub fn outcome(&self, taken: bool) -> Outcome {
        let _ = taken;
        todo!()
    }

    /// The state to write, if any: the charge's, when it was taken; otherwise what the clock rule
    /// or a changed quota made of the stored one, when that must be kept.
    pub fn state(&self, taken: bool) -> Option<State> {
        let _ = taken;
        todo!()
    }

    /// What a receipt keeps of this charge.
    pub fn taken(&self) -> Taken {
        todo!()
    }
}
