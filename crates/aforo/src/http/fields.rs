//! The fields on a response that passes.

use ::http::HeaderMap;
use aforo_policy::Responses;

use super::Shown;

/// Writes the fields of `shown` on the response of a request that passed, joined with what the
/// upstream sent as `responses` says.
pub fn write(headers: &mut HeaderMap, shown: &Shown<'_>, responses: &Responses) {
    let _ = (headers, shown, responses);
}
