//! The arithmetic of Aforo: pure, exact, without a clock.
//!
//! A [`Quota`] says how many units a window holds and by which [`Algorithm`].
//! [`Quota::assess`] puts one charge against one stored [`State`] at one [`Timestamp`]
//! and answers with an [`Assessment`]: whether it fits, the state to keep, and the
//! [`Outcome`] that a caller is told. [`decide`] joins the outcomes of a request.
//!
//! Nothing here does I/O, allocates on the way of a charge, or rounds except at the edge:
//! waits are rounded up, remaining units down.
#![no_std]

extern crate alloc;

mod assessment;
mod charge;
mod decision;
mod edges;
mod hash;
mod outcome;
mod quota;
mod state;
mod taken;
mod terms;
mod time;
mod unit;

pub mod algorithm;
#[cfg(feature = "vectors")]
#[doc(hidden)]
pub mod vectors;

pub use algorithm::Algorithm;
pub use algorithm::sliding_log::{Log, LogAssessment, LogEntry};
pub use assessment::Assessment;
pub use charge::{Charge, Mode, OnDenial, Principal, PrincipalKind};
pub use decision::{Decision, Denial, decide};
pub use edges::Edges;
pub use hash::{HashKey, PartitionHash};
pub use outcome::{Outcome, Verdict};
pub use quota::{CalendarUnit, Quota, QuotaError, Window};
pub use state::{Shape, State, Stored};
pub use taken::Taken;
pub use terms::{PolicyName, PolicyNameError, Terms};
pub use time::{Span, Timestamp};
pub use unit::Unit;
