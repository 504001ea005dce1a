//! Asking for one policy by name.

use aforo_core::{Decision, Outcome};
use aforo_store::StoreError;
use thiserror::Error;

/// What [`Limiter::check`](crate::Limiter::check) answers.
#[derive(Clone, Debug)]
pub struct Check {
    /// Whether to go on. A policy with quota 0 denies every cost as impossible.
    pub decision: Decision,
    /// The numbers; `None` for an unlimited or blocking policy, and when the store failed and the
    /// policy lets everybody pass.
    pub outcome: Option<Outcome>,
}

impl Check {
    /// Whether to go on at once or, for a leaky bucket, after the decision's delay.
    pub const fn is_allowed(&self) -> bool {
        !matches!(self.decision, Decision::Deny(_))
    }
}

/// Why [`Limiter::check`](crate::Limiter::check) could not answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// No policy of this name.
    #[error("there is no policy named {0:?}; name it in [policies] or with LimiterBuilder::policy")]
    UnknownPolicy(String),
    /// The store failed and the policy says `deny`.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store has to be waited for.
    #[error("the store of policy {0:?} has to be waited for; call check in async code")]
    Waits(String),
}
