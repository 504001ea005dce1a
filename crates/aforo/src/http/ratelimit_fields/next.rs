//! The draft after 11, as proposed in the working group (ietf-wg-httpapi/ratelimit-headers, pull
//! request 166): `r` becomes `a` (available), `t` becomes `w` (effective window), and `c` tells the
//! units that this request took. The policies are told as in draft 11.

use crate::http::standing::Standing;
use crate::http::structured::integer_parameter;

/// `"pro-minute";a=42;w=3;c=1`.
pub(super) fn limit(out: &mut Vec<u8>, standing: &Standing<'_>, denied: bool) {
    standing.quote(out);
    integer_parameter(out, b";a=", standing.remaining());
    if let Some(seconds) = standing.seconds(denied).filter(|seconds| *seconds > 0) {
        integer_parameter(out, b";w=", seconds);
    }
    integer_parameter(out, b";c=", standing.taken);
}
