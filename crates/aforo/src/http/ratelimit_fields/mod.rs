//! `RateLimit-Policy` and `RateLimit`: lists of structured items (RFC 9651), one file per draft.

mod draft11;
mod next;

use aforo_policy::Draft;

use super::standing::Standing;
use super::structured;

/// The list of policies, as `RateLimit-Policy` holds it.
pub(super) fn policies(out: &mut Vec<u8>, standings: &[Standing<'_>], draft: Draft) {
    list(out, standings, |out, standing| match draft {
        Draft::Eleven => draft11::policy(out, standing),
        Draft::Next => next::policy(out, standing),
    });
}

/// The list of how they stand, as `RateLimit` holds it.
pub(super) fn limits(out: &mut Vec<u8>, standings: &[Standing<'_>], draft: Draft, denied: bool) {
    list(out, standings, |out, standing| match draft {
        Draft::Eleven => draft11::limit(out, standing, denied),
        Draft::Next => next::limit(out, standing, denied),
    });
}

fn list(
    out: &mut Vec<u8>,
    standings: &[Standing<'_>],
    mut write: impl FnMut(&mut Vec<u8>, &Standing<'_>),
) {
    for (place, standing) in standings.iter().enumerate() {
        if place > 0 {
            structured::comma(out);
        }
        write(out, standing);
    }
}
