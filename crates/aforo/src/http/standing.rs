//! How a disclosed policy stands after a request: the numbers behind all fields.

use std::sync::Arc;

use aforo_core::{Algorithm, Outcome, Quota, Span, Terms, Timestamp, Verdict};

use super::ShownPolicy;
use super::structured::{plain_string, string};

/// How a policy that may be shown stands. Policies whose store failed have no standing: nothing is
/// told of them rather than something invented.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing<'a> {
    /// The policy's name.
    pub(crate) name: &'a str,
    /// Its quota and outcome; `None` for quota 0.
    pub(crate) metered: Option<(&'a Quota, &'a Outcome)>,
    /// Name and quota together, where they are the policy's own.
    pub(crate) terms: Option<&'a Arc<Terms>>,
    /// Whether it refused the request.
    pub(crate) violated: bool,
    /// Units the request took.
    pub(crate) taken: u64,
    /// Seconds in which `remaining` units may be spent, unless the request is denied.
    seconds: Option<u64>,
}

impl<'a> Standing<'a> {
    /// How a policy stands: its quota and outcome (`None` for quota 0), its terms where they are its
    /// own, whether it refused the request, and what the request took.
    #[inline]
    pub(crate) fn new(
        name: &'a str,
        metered: Option<(&'a Quota, &'a Outcome)>,
        terms: Option<&'a Arc<Terms>>,
        violated: bool,
        taken: u64,
    ) -> Self {
        Self {
            name,
            metered,
            terms,
            violated,
            taken,
            // Several fields tell it.
            seconds: metered.and_then(|(quota, outcome)| seconds_to_spend(quota, outcome, false)),
        }
    }

    /// How a policy stands, if it may be told.
    pub(super) fn of(policy: &'a ShownPolicy<'_>) -> Option<Self> {
        let metered = match (policy.quota, &policy.outcome) {
            (Some(quota), Some(outcome)) => Some((quota, outcome)),
            (None, _) => None,
            (Some(_), None) => return None,
        };
        let (name, violated, taken) = (policy.name, policy.violated, policy.taken);
        let standing = || Self::new(name, metered, None, violated, taken);
        policy.disclosed.then(standing)
    }

    /// Writes its name as a structured string.
    pub(super) fn quote(&self, out: &mut Vec<u8>) {
        match self.terms {
            Some(_) => plain_string(out, self.name),
            None => string(out, self.name),
        }
    }

    /// Units left.
    pub(super) fn remaining(&self) -> u64 {
        self.metered.map_or(0, |(_, outcome)| outcome.remaining)
    }

    /// The most at once.
    pub(super) fn capacity(&self) -> u64 {
        self.metered.map_or(0, |(_, outcome)| outcome.capacity)
    }

    /// Units per window.
    pub(super) fn amount(&self) -> u64 {
        self.metered.map_or(0, |(quota, _)| quota.amount())
    }

    /// The window, when it is whole seconds.
    pub(super) fn window_seconds(&self) -> Option<u64> {
        let window = self.metered?.0.nominal_window()?.as_micros();
        let seconds = window.checked_div(1_000_000)?;
        (window.checked_rem(1_000_000) == Some(0) && seconds > 0).then_some(seconds)
    }

    /// A token bucket's burst, when it is another number than the quota.
    pub(super) fn burst(&self) -> Option<u64> {
        let (quota, _) = self.metered?;
        let is_bucket = quota.algorithm() == Algorithm::TokenBucket;
        (is_bucket && quota.capacity() != quota.amount()).then_some(quota.capacity())
    }

    /// How long a refused charge waits; for ever with quota 0.
    pub(super) fn wait(&self) -> Span {
        self.metered.map_or(Span::MAX, |(_, outcome)| outcome.wait)
    }

    /// Seconds in which `remaining` units may be spent, `t` of draft 11. `None` when the policy is
    /// full, and on a denial for policies that did not deny, so that none points past Retry-After.
    pub(crate) fn seconds(&self, denied: bool) -> Option<u64> {
        if !denied {
            return self.seconds;
        }
        let (quota, outcome) = self.metered.filter(|_| self.violated)?;
        seconds_to_spend(quota, outcome, true)
    }

    /// When the policy is as `seconds` says, told as seconds since the epoch; on a denial when the
    /// charge fits, plus `jitter`. `None` with quota 0.
    pub(super) fn reset_seconds(&self, denied: Option<Span>) -> Option<u64> {
        let (_, outcome) = self.metered?;
        let reset = match (denied, outcome.verdict) {
            (Some(jitter), Verdict::Denied) => outcome.at.plus(outcome.wait).plus(jitter),
            _ => self.untroubled_reset(outcome),
        };
        Some(reset.as_seconds_ceil())
    }

    fn untroubled_reset(&self, outcome: &Outcome) -> Timestamp {
        outcome.edge.unwrap_or_else(|| {
            let seconds = self.seconds(false).unwrap_or(0);
            outcome.at.plus(Span::from_seconds(seconds))
        })
    }
}

/// A fixed window: until its edge. Otherwise, when the request was refused or nothing is left,
/// until the next unit, rounded up; else max(next unit, ⌈r·w/q⌉), so that r within t is never
/// faster than the quota. `None` when the policy is full.
fn seconds_to_spend(quota: &Quota, outcome: &Outcome, denied: bool) -> Option<u64> {
    if let Some(edge) = outcome.edge {
        return Some(edge.since(outcome.at).as_seconds_ceil());
    }
    if outcome.whole_again.is_zero() {
        return None;
    }
    let next = outcome.next_unit.as_seconds_ceil();
    let refused = denied && outcome.verdict == Verdict::Denied;
    if refused || outcome.remaining == 0 {
        return Some(next);
    }
    Some(next.max(spending_seconds(quota, outcome.remaining)))
}

/// ⌈r·w/q⌉ in seconds.
fn spending_seconds(quota: &Quota, remaining: u64) -> u64 {
    let Some(window) = quota.nominal_window() else {
        return 0;
    };
    let (window, amount) = (window.as_micros(), quota.amount().max(1));
    let narrow = remaining
        .checked_mul(window)
        .zip(amount.checked_mul(1_000_000));
    if let Some((product, divisor)) = narrow {
        return product.div_ceil(divisor);
    }
    let product = u128::from(remaining).saturating_mul(u128::from(window));
    let divisor = u128::from(amount).saturating_mul(1_000_000);
    u64::try_from(product.div_ceil(divisor)).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "standing_tests.rs"]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "an independent model in plain numbers"
)]
mod tests;
