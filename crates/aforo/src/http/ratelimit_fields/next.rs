//! The draft after 11, as proposed in the working group (ietf-wg-httpapi/ratelimit-headers, pull
//! request 166): `r` becomes `a` (available), `t` becomes `w` (effective window), and `c` tells the
//! units that this request took.

use crate::http::standing::Standing;
use crate::http::structured::{integer_parameter, string};

/// As in draft 11.
pub(super) use super::draft11::policy;

/// `"pro-minute";a=42;w=3;c=1`.
pub(super) fn limit(out: &mut Vec<u8>, standing: &Standing<'_>, denied: bool) {
    string(out, standing.name);
    integer_parameter(out, "a", standing.remaining());
    if let Some(seconds) = standing.seconds(denied).filter(|seconds| *seconds > 0) {
        integer_parameter(out, "w", seconds);
    }
    integer_parameter(out, "c", standing.taken);
}
