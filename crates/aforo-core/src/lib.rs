//! The arithmetic of Aforo: pure, exact, without a clock.
//!
//! A [`Quota`] says how many units a window holds and by which [`Algorithm`]. [`Quota::assess`]
//! puts one charge against one stored [`State`] at one [`Timestamp`] and answers with an
//! [`Assessment`]: whether it fits, the state to keep, and the [`Outcome`] that a caller is told.
//! [`decide`] joins the outcomes of a request. Nothing here does I/O, reads a clock, or allocates
//! on the way of a charge (a sliding log's own memory aside).
//!
//! # A charge
//!
//! ```
//! use aforo_core::{Quota, Span, Stored, Timestamp, Verdict};
//!
//! // 60 a minute, 10 at once: then one a second, at most 70 in any minute.
//! let quota = Quota::token_bucket(60, Span::from_seconds(60), Some(10))?;
//! let now = Timestamp::from_seconds(1_700_000_000);
//!
//! let assessment = quota.assess(None, now, None, 10);
//! assert_eq!(assessment.verdict(), Verdict::Allowed);
//! // The whole batch was allowed, so the store writes the state and tells the outcome.
//! let state = assessment.state(true).unwrap_or_default();
//! let stored = Stored { shape: quota.shape(), state };
//! assert_eq!(assessment.outcome(true).remaining, 0);
//!
//! let next = quota.assess(Some(&stored), now.plus(Span::from_millis(250)), None, 1);
//! assert_eq!(next.verdict(), Verdict::Denied);
//! assert_eq!(next.outcome(false).wait, Span::from_millis(750));
//! // A denial takes nothing: there is nothing to write.
//! assert_eq!(next.state(false), None);
//! # Ok::<(), aforo_core::QuotaError>(())
//! ```
//!
//! # The algorithms
//!
//! | algorithm | at most | remembers |
//! |---|---|---|
//! | [token bucket](Quota::token_bucket) | burst + ⌊t·q/w⌋ in any span t | a level |
//! | [leaky bucket](Quota::leaky_bucket) | evenly q per w; holds requests | a level |
//! | [fixed window](Quota::fixed_window) | q in a window, 2q across an edge | a counter |
//! | [sliding window](Quota::sliding_window) | below 2q in any window, q on steady traffic | two counters |
//! | [sliding log](Quota::sliding_log) | q in any window | every charge, at most 10,000 units |
//!
//! A cost above the capacity is [impossible](Verdict::Impossible), not *later*. A cost of 0 is
//! always allowed, takes nothing and is not held: it is how to look without taking.
//!
//! # Exactness
//!
//! All arithmetic is on integers, in one [`Unit`] of time for each quota, chosen so that every
//! product stays below 2⁵³ and a store that computes in doubles decides alike. Time is rounded
//! down to the unit; nothing else is rounded except at the edge, where waits are rounded up and
//! remaining units down. So a charge is denied until exactly [`Outcome::wait`], and then allowed.
//! A bucket may take longer to drain than timestamps reach; such waits end at the last one.
//!
//! # The clock
//!
//! A state keeps the time of its last admitted charge. When a charge comes before it by no more
//! than the time to whole again, or a minute, it counts as of that last charge, and the waits
//! grow by the step. Beyond that the clock was set back and the state moves with it: levels and
//! counts stay, so that nobody gains a refill by the step, and nobody is locked out until the old
//! time returns. [`Assessment::state`] then has something to write even for a denial.
//!
//! # Changed quotas
//!
//! A [`Stored`] state carries its [`Shape`]. Where that is not the quota's, the units used,
//! rounded up, stand at the last charge's time under the new quota; a sliding log goes in and out
//! by [`Log::carried`] and [`Log::stored`]. Whenever a state is read, a level is capped at the
//! capacity and a count at the amount.
//!
//! ```
//! use aforo_core::{Quota, Span, Stored, Timestamp, Window};
//! let minute = Span::from_seconds(60);
//! let now = Timestamp::from_seconds(1_700_000_000);
//! let old = Quota::fixed_window(100, Window::Length(minute))?;
//! let state = old.assess(None, now, None, 30).state(true).unwrap_or_default();
//! let stored = Stored { shape: old.shape(), state };
//!
//! let new = Quota::token_bucket(50, minute, None)?;
//! assert_eq!(new.assess(Some(&stored), now, None, 0).outcome(true).remaining, 20);
//! # Ok::<(), aforo_core::QuotaError>(())
//! ```
//!
//! # Giving back
//!
//! [`Assessment::taken`] is what a receipt keeps. [`Quota::give_back`] undoes a charge or a part
//! of it: exactly when nothing came in between, otherwise never too much; a window gives back in
//! the charge's own window only, and [`Log::give_back`] by the entry.
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
pub use hash::{HashKey, HashKeyError, PartitionHash};
pub use outcome::{Outcome, Verdict};
pub use quota::{CalendarUnit, Quota, QuotaError, RemainderError, Window};
pub use state::{Shape, State, Stored};
pub use taken::Taken;
pub use terms::{PolicyName, PolicyNameError, Terms};
pub use time::{Span, Timestamp};
pub use unit::Unit;
