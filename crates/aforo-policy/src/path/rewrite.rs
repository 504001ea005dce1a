//! A path's canonical spelling, written anew.

use super::PathError;
use super::byte::{Class, class, hex_pair, is_hidden_separator, push_encoded};

/// The canonical spelling. Parameters and empty segments go before dot segments are resolved, so
/// that `/a/..;x//b` and `/a/../b` are one.
pub(crate) fn rewrite(path: &str, keep_separators: bool) -> Result<String, PathError> {
    let rest = path.strip_prefix('/').ok_or(PathError::Malformed)?;
    let mut out = String::with_capacity(path.len().saturating_add(8));
    let mut open = true;
    for segment in rest.split('/') {
        let start = out.len();
        out.push('/');
        let written = push_segment(&mut out, segment, keep_separators)?;
        open = match out.get(out.len().saturating_sub(written)..) {
            Some("" | ".") => {
                out.truncate(start);
                true
            }
            Some("..") => {
                out.truncate(start);
                out.truncate(out.rfind('/').unwrap_or(0));
                true
            }
            _ => false,
        };
    }
    if open {
        out.push('/');
    }
    Ok(out)
}

/// Writes a segment without its parameters, which are still looked at; says how many bytes.
fn push_segment(
    out: &mut String,
    segment: &str,
    keep_separators: bool,
) -> Result<usize, PathError> {
    let start = out.len();
    let mut end = None;
    let mut bytes = segment.bytes();
    while let Some(byte) = bytes.next() {
        match class(byte) {
            Class::Unreserved | Class::Segment => out.push(char::from(byte)),
            Class::Percent => {
                let byte = hex_pair(bytes.next(), bytes.next()).ok_or(PathError::Malformed)?;
                if is_hidden_separator(byte) && !keep_separators {
                    return Err(PathError::EncodedSlash);
                }
                if class(byte) == Class::Unreserved {
                    out.push(char::from(byte));
                } else {
                    push_encoded(out, byte);
                }
            }
            Class::Semicolon => end = end.or(Some(out.len())),
            Class::Backslash if keep_separators => out.push('\\'),
            Class::Backslash => return Err(PathError::EncodedSlash),
            Class::Encoded => push_encoded(out, byte),
            Class::Bad => return Err(PathError::Malformed),
        }
    }
    out.truncate(end.unwrap_or(out.len()));
    Ok(out.len().saturating_sub(start))
}
