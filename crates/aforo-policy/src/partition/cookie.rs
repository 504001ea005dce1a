//! Values of cookies (RFC 6265).

use http::HeaderMap;
use http::header::COOKIE;

use super::urlencoded::Twice;

/// The value of the cookie `name`, without the quotes around it.
pub(super) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h [u8]>, Twice> {
    let mut found = None;
    for line in headers.get_all(COOKIE) {
        for pair in line.as_bytes().split(|byte| *byte == b';') {
            let mut halves = pair.splitn(2, |byte| *byte == b'=');
            let spelled = halves.next().unwrap_or_default().trim_ascii();
            let Some(value) = halves.next() else {
                continue;
            };
            if spelled != name.as_bytes() {
                continue;
            }
            if found.is_some() {
                return Err(Twice);
            }
            found = Some(unquoted(value.trim_ascii()));
        }
    }
    Ok(found)
}

fn unquoted(value: &[u8]) -> &[u8] {
    match value {
        [b'"', inner @ .., b'"'] => inner,
        _ => value,
    }
}
