//! Outcomes and policies for the tests of what is shown.

use aforo_core::{Outcome, Quota, Span, Timestamp, Verdict, Window};

use super::ShownPolicy;

/// The store's time in these tests.
pub(super) const AT: Timestamp = Timestamp::from_seconds(1_000_000);

pub(super) fn seconds(seconds: u64) -> Span {
    Span::from_seconds(seconds)
}

pub(super) fn millis(millis: u64) -> Span {
    Span::from_millis(millis)
}

pub(super) fn bucket(amount: u64, window: Span, burst: Option<u64>) -> Quota {
    Quota::token_bucket(amount, window, burst).unwrap()
}

pub(super) fn fixed(amount: u64, window: Span) -> Quota {
    Quota::fixed_window(amount, Window::Length(window)).unwrap()
}

pub(super) fn sliding(amount: u64, window: Span) -> Quota {
    Quota::sliding_window(amount, window).unwrap()
}

/// A charge that fitted: what is left, and the waits for one unit more and for all.
pub(super) fn allowed(
    quota: &Quota,
    remaining: u64,
    next_unit: Span,
    whole_again: Span,
) -> Outcome {
    Outcome {
        verdict: Verdict::Allowed,
        capacity: quota.capacity(),
        remaining,
        wait: Span::ZERO,
        next_unit,
        whole_again,
        delay: Span::ZERO,
        edge: None,
        at: AT,
    }
}

/// A charge that did not fit: what is left, and the waits for it and for one unit more.
pub(super) fn denied(quota: &Quota, remaining: u64, wait: Span, next_unit: Span) -> Outcome {
    Outcome {
        verdict: Verdict::Denied,
        wait,
        ..allowed(quota, remaining, next_unit, seconds(3_600))
    }
}

/// The same in a fixed window that ends at `edge`.
pub(super) fn until(edge: Timestamp, outcome: Outcome) -> Outcome {
    Outcome {
        edge: Some(edge),
        ..outcome
    }
}

/// A disclosed policy that let the request pass.
pub(super) fn shown<'a>(name: &'a str, quota: &'a Quota, outcome: Outcome) -> ShownPolicy<'a> {
    ShownPolicy {
        name,
        disclosed: true,
        violated: false,
        quota: Some(quota),
        outcome: Some(outcome),
        taken: 1,
    }
}

/// A disclosed policy that refused the request.
pub(super) fn violated<'a>(name: &'a str, quota: &'a Quota, outcome: Outcome) -> ShownPolicy<'a> {
    ShownPolicy {
        violated: true,
        taken: 0,
        ..shown(name, quota, outcome)
    }
}

/// A disclosed policy with quota 0.
pub(super) fn blocked(name: &str) -> ShownPolicy<'_> {
    ShownPolicy {
        name,
        disclosed: true,
        violated: true,
        quota: None,
        outcome: None,
        taken: 0,
    }
}

/// The same policy, not disclosed.
pub(super) fn hidden(policy: ShownPolicy<'_>) -> ShownPolicy<'_> {
    ShownPolicy {
        disclosed: false,
        ..policy
    }
}
