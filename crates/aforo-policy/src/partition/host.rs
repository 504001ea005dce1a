//! One spelling for hosts.

use super::Bytes;

/// A host without its port and last dot, in lower case: `API.Example.org.:443` is
/// `api.example.org`.
pub(super) fn host(raw: &str) -> Bytes {
    let bracketed = raw.find(']').map(|at| raw.split_at(at.saturating_add(1)).0);
    let name = match (bracketed, raw.rsplit_once(':')) {
        (Some(address), _) => address,
        (None, Some((name, _port))) => name,
        (None, None) => raw,
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    name.bytes().map(|byte| byte.to_ascii_lowercase()).collect()
}
