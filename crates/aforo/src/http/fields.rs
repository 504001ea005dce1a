//! The fields that tell callers where they stand.

use ::http::{HeaderMap, HeaderName, HeaderValue};
use aforo_core::Span;
use aforo_policy::{FieldFamily, Responses};
use smallvec::SmallVec;

use super::standing::Standing;
use super::{Shown, ratelimit_fields, upstream_fields, written, x_ratelimit};

/// How many fields there are at most.
pub(crate) const MOST: usize = 6;

pub(super) const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(super) const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Writes the fields of `shown` on the response of a request that passed, joined with what the
/// upstream sent as `responses` says. Retry-After is not touched: an upstream's 429 keeps its own.
///
/// ```
/// use aforo::core::{Outcome, Quota, Span, Timestamp, Verdict};
/// use aforo::http::{Shown, ShownPolicy, fields};
/// use aforo::policy::Responses;
/// use http::HeaderMap;
///
/// let quota = Quota::token_bucket(1_000, Span::from_seconds(60), Some(200)).unwrap();
/// let outcome = Outcome {
///     verdict: Verdict::Allowed,
///     capacity: 200,
///     remaining: 42,
///     wait: Span::ZERO,
///     next_unit: Span::from_millis(60),
///     whole_again: Span::from_millis(9_480),
///     delay: Span::ZERO,
///     edge: None,
///     at: Timestamp::from_seconds(1_700_000_000),
/// };
/// let mut shown = Shown { plan: Some("pro"), ..Shown::default() };
/// shown.policies.push(ShownPolicy {
///     name: "pro-minute",
///     disclosed: true,
///     violated: false,
///     quota: Some(&quota),
///     outcome: Some(outcome),
///     taken: 1,
/// });
/// let mut headers = HeaderMap::new();
/// fields::write(&mut headers, &shown, &Responses::default());
/// assert_eq!(headers["ratelimit-policy"], "\"pro-minute\";q=1000;w=60;aforo-burst=200");
/// assert_eq!(headers["ratelimit"], "\"pro-minute\";r=42;t=3");
/// assert_eq!(headers["x-ratelimit-reset"], "1700000003");
/// assert_eq!(headers["x-ratelimit-policy"], "pro;w=60");
/// ```
pub fn write(headers: &mut HeaderMap, shown: &Shown<'_>, responses: &Responses) {
    write_standings(headers, &standings(shown), shown.plan, responses);
}

/// The same for policies whose standing is known.
pub(crate) fn write_standings(
    headers: &mut HeaderMap,
    standings: &[Standing<'_>],
    plan: Option<&str>,
    responses: &Responses,
) {
    let ours = Ours::of_passed(standings, plan, responses);
    upstream_fields::join(headers, &ours, responses.upstream_fields);
}

/// Gives them away where no upstream sent any.
pub(crate) fn give_standings(
    standings: &[Standing<'_>],
    plan: Option<&str>,
    responses: &Responses,
    take: impl FnMut(HeaderName, HeaderValue),
) {
    Ours::of_passed(standings, plan, responses).give(take);
}

fn standings<'a>(shown: &'a Shown<'_>) -> SmallVec<[Standing<'a>; 6]> {
    shown.policies.iter().filter_map(Standing::of).collect()
}

/// Writes the fields of `shown` on a denial whose wait grows by `jitter`.
pub(super) fn write_on_denial(
    headers: &mut HeaderMap,
    shown: &Shown<'_>,
    responses: &Responses,
    jitter: Span,
) {
    let ours = Ours {
        standings: &standings(shown),
        plan: shown.plan,
        responses,
        denied: Some(jitter),
    };
    ours.give(|name, value| put(headers, name, value));
}

/// Sets a field; a map that holds all it can is left as it is.
#[inline]
pub(super) fn put(headers: &mut HeaderMap, name: HeaderName, value: HeaderValue) {
    let _full = headers.try_insert(name, value);
}

/// Our own fields, not written yet: most go straight to where they stay.
pub(super) struct Ours<'a> {
    standings: &'a [Standing<'a>],
    plan: Option<&'a str>,
    responses: &'a Responses,
    /// The jitter of the wait, on a denial.
    denied: Option<Span>,
}

impl<'a> Ours<'a> {
    /// Those of a request that passed.
    const fn of_passed(
        standings: &'a [Standing<'a>],
        plan: Option<&'a str>,
        responses: &'a Responses,
    ) -> Self {
        Self {
            standings,
            plan,
            responses,
            denied: None,
        }
    }

    /// Whether there are none.
    pub(super) const fn are_none(&self) -> bool {
        self.standings.is_empty()
    }

    /// What X-RateLimit-Remaining says, when it is among them.
    pub(super) fn remaining(&self) -> Option<u64> {
        let told = || x_ratelimit::told(self.standings, self.denied);
        let has_family = self.responses.fields.contains(&FieldFamily::XRateLimit);
        has_family.then(told).flatten().map(Standing::remaining)
    }

    /// Writes each field and gives it away. A value that no header can hold is left out.
    #[inline]
    pub(super) fn give(&self, mut take: impl FnMut(HeaderName, HeaderValue)) {
        for family in &self.responses.fields {
            match family {
                FieldFamily::RateLimit => self.give_ratelimit(&mut take),
                FieldFamily::XRateLimit => {
                    if let Some(told) = x_ratelimit::told(self.standings, self.denied) {
                        x_ratelimit::give(told, self.plan, self.denied, &mut take);
                    }
                }
            }
        }
    }

    #[inline]
    fn give_ratelimit(&self, take: &mut impl FnMut(HeaderName, HeaderValue)) {
        let standings = self.standings;
        if standings.is_empty() {
            return;
        }
        if let Some(policies) = ratelimit_fields::policies(standings) {
            take(RATELIMIT_POLICY, policies);
        }
        let (draft, is_denied) = (self.responses.ratelimit_draft, self.denied.is_some());
        let write = |out: &mut _| ratelimit_fields::limits(out, standings, draft, is_denied);
        if let Some(limits) = written::value(write) {
            take(RATELIMIT, limits);
        }
    }
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
