//! When a refused caller may come back.

use std::time::{Duration, UNIX_EPOCH};

use ::http::HeaderValue;
use aforo_core::{Span, Timestamp};
use aforo_policy::RetryAfter;

use super::{Asked, Refused};
use crate::http::{Shown, ShownPolicy};

/// A store that failed is asked again once a second.
const STORE_PROBE: Span = Span::from_seconds(1);
/// The last second that an HTTP-date can tell: 9999-12-31T23:59:59Z.
const LAST_DATE: u64 = 253_402_300_799;

/// When a refused caller may come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Retry {
    /// The longest wait among the violated policies, disclosed or not, and the jitter.
    pub(super) wait: Span,
    /// From when it counts: the store's time.
    pub(super) from: Timestamp,
}

impl Retry {
    /// When to come back; `None` when coming back does not help or nothing is known about it:
    /// quota 0, an impossible cost, a wrong request.
    pub(super) fn of(refused: &Refused<'_>, shown: &Shown<'_>, asked: &Asked<'_>) -> Option<Self> {
        let (wait, from) = match refused {
            Refused::Exceeded => longest(shown)?.unwrap_or((Span::ZERO, asked.now)),
            Refused::StoreFailed => (STORE_PROBE, asked.now),
            _ => return None,
        };
        Some(Self {
            wait: wait.plus(asked.jitter),
            from,
        })
    }

    /// In seconds, rounded up, at least 1.
    pub(super) fn seconds(&self) -> u64 {
        self.wait.as_seconds_ceil().max(1)
    }

    /// The wait in milliseconds, rounded up, at least 1.
    pub(super) fn millis(&self) -> u64 {
        self.wait.as_micros().div_ceil(1_000).max(1)
    }

    /// What Retry-After says.
    pub(super) fn value(&self, form: RetryAfter) -> HeaderValue {
        match form {
            RetryAfter::Seconds => HeaderValue::from(self.seconds()),
            RetryAfter::Date => self.date(),
        }
    }

    fn date(&self) -> HeaderValue {
        let then = self.from.plus(Span::from_seconds(self.seconds()));
        let seconds = then.as_seconds_ceil().min(LAST_DATE);
        let date = UNIX_EPOCH
            .checked_add(Duration::from_secs(seconds))
            .map(httpdate::fmt_http_date)
            .and_then(|date| HeaderValue::try_from(date).ok());
        date.unwrap_or_else(|| HeaderValue::from(self.seconds()))
    }
}

/// The longest wait among violated policies with the time it counts from. `None`: a violated policy
/// has quota 0, so there is no end. `Some(None)`: nothing is known.
#[expect(clippy::option_option, reason = "no end, an unknown one, a known one")]
fn longest(shown: &Shown<'_>) -> Option<Option<(Span, Timestamp)>> {
    let violated = || shown.policies.iter().filter(|policy| policy.violated);
    if violated().any(|policy| policy.quota.is_none()) {
        return None;
    }
    let wait = |policy: &ShownPolicy<'_>| policy.outcome.map(|outcome| (outcome.wait, outcome.at));
    Some(violated().filter_map(wait).max())
}
