//! The result of one charge.

use crate::{Span, Timestamp};

/// Whether a charge fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It fits.
    Allowed,
    /// It does not fit now and will after [`Outcome::wait`].
    Denied,
    /// Its cost is above the capacity: it never fits.
    Impossible,
}

/// The result of one charge, in the store's time. Waits are rounded up, remaining down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether this charge fits by itself; what the batch did with it is the decision's.
    pub verdict: Verdict,
    /// The most that can be taken at once: a bucket's burst, a window's quota.
    pub capacity: u64,
    /// Units left now, after what this batch took.
    pub remaining: u64,
    /// How long until this charge fits; zero when it fits, and when it never will.
    pub wait: Span,
    /// How long until one unit more than `remaining` fits; zero when nothing is taken.
    pub next_unit: Span,
    /// How long until the full capacity fits again; zero when nothing is taken.
    pub whole_again: Span,
    /// Leaky bucket: how long the request is held for its slot.
    pub delay: Span,
    /// Fixed window: the end of the window that holds `at`, where one is running (a window from
    /// the first hit starts with a charge) and known to end (a calendar's needs edges).
    pub edge: Option<Timestamp>,
    /// The store's time of this outcome.
    pub at: Timestamp,
}

impl Outcome {
    /// Whether the charge fits.
    pub const fn is_allowed(&self) -> bool {
        matches!(self.verdict, Verdict::Allowed)
    }
}
