//! `X-RateLimit-*`: the one policy that matters most to the caller.

use std::cmp::Reverse;

use ::http::HeaderName;
use aforo_core::Span;

use super::rendered::Rendered;
use super::standing::Standing;
use super::structured::integer;

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
        _ if denied.is_none() => standings
            .iter()
            .min_by_key(|standing| (standing.remaining(), Reverse(standing.reset_seconds(None)))),
        _ => standings
            .iter()
            .filter(|standing| standing.violated)
            .min_by_key(|standing| Reverse((standing.wait(), standing.reset_seconds(denied)))),
    }
}

/// Writes the fields: the capacity, what remains, when it resets (Unix seconds; not with quota 0),
/// and plan and window, `pro;w=60`. A caller without a plan is told the policy's name instead.
pub(super) fn render(
    rendered: &mut Rendered,
    standing: &Standing<'_>,
    plan: Option<&str>,
    denied: Option<Span>,
) {
    rendered.field(LIMIT, |out| integer(out, standing.capacity()));
    rendered.field(REMAINING, |out| integer(out, standing.remaining()));
    if let Some(reset) = standing.reset_seconds(denied) {
        rendered.field(RESET, |out| integer(out, reset));
    }
    rendered.field(POLICY, |out| {
        out.extend_from_slice(plan.unwrap_or(standing.name).as_bytes());
        if let Some(window) = standing.window_seconds() {
            out.extend_from_slice(b";w=");
            integer(out, window);
        }
    });
}
