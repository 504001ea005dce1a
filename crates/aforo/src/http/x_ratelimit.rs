//! `X-RateLimit-*`: the one policy that matters most to the caller.

use std::cmp::Reverse;

use ::http::{HeaderName, HeaderValue};
use aforo_core::Span;
use bytes::Bytes;

use super::kept::{self, Constants};
use super::standing::Standing;
use super::structured::integer;
use super::written::number;

pub(super) const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
pub(super) const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
pub(super) const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
pub(super) const POLICY: HeaderName = HeaderName::from_static("x-ratelimit-policy");

/// The policy that is told: the one with the fewest units remaining, of equals the one with the
/// latest reset. On a denial the violated one with the longest wait, and none when only policies
/// that are not disclosed denied.
pub(super) fn told<'s, 'a>(
    standings: &'s [Standing<'a>],
    denied: Option<Span>,
) -> Option<&'s Standing<'a>> {
    match standings {
        [] => None,
        [only] if denied.is_none() => Some(only),
        _ if denied.is_none() => standings.iter().min_by(|one, other| {
            let resets = || other.reset_seconds(None).cmp(&one.reset_seconds(None));
            one.remaining().cmp(&other.remaining()).then_with(resets)
        }),
        _ => standings
            .iter()
            .filter(|standing| standing.violated)
            .min_by_key(|standing| Reverse((standing.wait(), standing.reset_seconds(denied)))),
    }
}

/// Gives the fields: the capacity, what remains, when it resets (Unix seconds; not with quota 0),
/// and plan and window, `pro;w=60`. A caller without a plan is told the policy's name instead.
#[inline]
pub(super) fn give(
    standing: &Standing<'_>,
    plan: Option<&str>,
    denied: Option<Span>,
    take: &mut impl FnMut(HeaderName, HeaderValue),
) {
    let written = || constants(standing, plan);
    let constants = match standing.terms {
        Some(terms) => kept::constants(terms, standing.capacity(), plan, written),
        None => written(),
    };
    take(LIMIT, constants.limit);
    if let Some(remaining) = number(standing.remaining()) {
        take(REMAINING, remaining);
    }
    if let Some(reset) = standing.reset_seconds(denied).and_then(number) {
        take(RESET, reset);
    }
    if let Some(policy) = constants.policy {
        take(POLICY, policy);
    }
}

/// What is the same on every response.
fn constants(standing: &Standing<'_>, plan: Option<&str>) -> Constants {
    let mut out = plan.unwrap_or(standing.name).as_bytes().to_vec();
    if let Some(window) = standing.window_seconds() {
        out.extend_from_slice(b";w=");
        integer(&mut out, window);
    }
    Constants {
        limit: HeaderValue::from(standing.capacity()),
        policy: HeaderValue::from_maybe_shared(Bytes::from(out)).ok(),
    }
}
