//! The fields that tell callers where they stand.

use ::http::{HeaderMap, HeaderName, HeaderValue};
use aforo_core::Span;
use aforo_policy::{FieldFamily, Responses};
use smallvec::SmallVec;

use super::rendered::Rendered;
use super::standing::Standing;
use super::{Shown, ratelimit_fields, upstream_fields, x_ratelimit};

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
    let mut ours = Ours::with_room(standings);
    ours.write(standings, plan, responses, None);
    upstream_fields::join(headers, &mut ours, responses.upstream_fields);
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
    let standings = standings(shown);
    let mut ours = Ours::with_room(&standings);
    ours.write(&standings, shown.plan, responses, Some(jitter));
    ours.rendered.give(|name, value| put(headers, name, value));
}

/// Sets a field; a map that holds all it can is left as it is.
pub(super) fn put(headers: &mut HeaderMap, name: HeaderName, value: HeaderValue) {
    let _full = headers.try_insert(name, value);
}

/// Our own fields.
pub(super) struct Ours {
    /// All of them.
    pub(super) rendered: Rendered,
    /// What X-RateLimit-Remaining says, when it is among them.
    pub(super) remaining: Option<u64>,
}

impl Ours {
    /// None yet. They are written where they stand, since they are too large to be moved for
    /// nothing.
    fn with_room(standings: &[Standing<'_>]) -> Self {
        Self {
            rendered: Rendered::with_capacity(bytes(standings)),
            remaining: None,
        }
    }

    fn write(
        &mut self,
        standings: &[Standing<'_>],
        plan: Option<&str>,
        responses: &Responses,
        denied: Option<Span>,
    ) {
        for family in &responses.fields {
            match family {
                FieldFamily::RateLimit if !standings.is_empty() => {
                    let draft = responses.ratelimit_draft;
                    if let Some(policies) = ratelimit_fields::policies(standings) {
                        self.rendered.known(RATELIMIT_POLICY, policies);
                    }
                    self.rendered.field(RATELIMIT, |out| {
                        ratelimit_fields::limits(out, standings, draft, denied.is_some());
                    });
                }
                FieldFamily::XRateLimit => {
                    if let Some(told) = x_ratelimit::told(standings, denied) {
                        self.remaining = Some(told.remaining());
                        x_ratelimit::render(&mut self.rendered, told, plan, denied);
                    }
                }
                FieldFamily::RateLimit => {}
            }
        }
    }
}

/// About how many bytes the values take that are written for this response.
fn bytes(standings: &[Standing<'_>]) -> usize {
    if standings.is_empty() {
        return 0;
    }
    standings
        .iter()
        .map(|standing| standing.name.len().saturating_add(40))
        .fold(40, usize::saturating_add)
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;
