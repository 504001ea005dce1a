//! `RateLimit-Policy` and `RateLimit`: lists of structured items (RFC 9651), one file per draft.

mod draft11;
mod next;

use ::http::HeaderValue;
use aforo_policy::Draft;
use bytes::Bytes;

use super::standing::Standing;
use super::{kept, structured};

/// The list of policies, as `RateLimit-Policy` holds it; `None` when no header can hold it.
pub(super) fn policies(standings: &[Standing<'_>]) -> Option<HeaderValue> {
    let terms = standings.iter().map_while(|standing| standing.terms);
    if terms.clone().count() < standings.len() {
        return written(standings);
    }
    kept::list(terms, || written(standings))
}

/// It is the same in both drafts.
fn written(standings: &[Standing<'_>]) -> Option<HeaderValue> {
    let mut out = Vec::with_capacity(standings.len().saturating_mul(48));
    list(&mut out, standings, draft11::policy);
    HeaderValue::from_maybe_shared(Bytes::from(out)).ok()
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
