//! draft-ietf-httpapi-ratelimit-headers-11.

use crate::http::standing::Standing;
use crate::http::structured::integer_parameter;

/// `"pro-minute";q=1000;w=60;aforo-burst=200` (sections 3.1 to 3.3; a vendor's parameters carry its
/// name).
pub(super) fn policy(out: &mut Vec<u8>, standing: &Standing<'_>) {
    standing.quote(out);
    integer_parameter(out, b";q=", standing.amount());
    if let Some(window) = standing.window_seconds() {
        integer_parameter(out, b";w=", window);
    }
    if let Some(burst) = standing.burst() {
        integer_parameter(out, b";aforo-burst=", burst);
    }
}

/// `"pro-minute";r=42;t=3` (section 4.1).
pub(super) fn limit(out: &mut Vec<u8>, standing: &Standing<'_>, denied: bool) {
    standing.quote(out);
    integer_parameter(out, b";r=", standing.remaining());
    if let Some(seconds) = standing.seconds(denied) {
        integer_parameter(out, b";t=", seconds);
    }
}
