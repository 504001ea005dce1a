//! What is matched of a canonical path.

use crate::{Paths, TrailingSlash};

use super::byte::{Class, class, hex_pair, push_encoded};

/// The folded path, where it differs from the canonical one.
pub(super) fn fold(canonical: &str, paths: &Paths) -> Option<String> {
    if has_encoded_segment_character(canonical) {
        let body = without_slash(canonical, paths);
        return Some(fold_literal(body, paths.case_sensitive));
    }
    fold_plain(canonical, paths)
}

/// The same for a path without anything encoded that needs no encoding.
#[inline]
pub(super) fn fold_plain(canonical: &str, paths: &Paths) -> Option<String> {
    if paths.case_sensitive && paths.trailing_slash == TrailingSlash::Strict {
        return None;
    }
    let body = without_slash(canonical, paths);
    if !paths.case_sensitive && body.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Some(fold_literal(body, paths.case_sensitive));
    }
    (body.len() != canonical.len()).then(|| body.to_owned())
}

/// The path without the slash at its end that does not count.
fn without_slash<'a>(canonical: &'a str, paths: &Paths) -> &'a str {
    match paths.trailing_slash {
        TrailingSlash::Ignore if canonical.len() > 1 => canonical.trim_end_matches('/'),
        _ => canonical,
    }
}

/// Whether something is encoded that needs no encoding.
fn has_encoded_segment_character(canonical: &str) -> bool {
    let mut rest = canonical.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        let spelled = match (byte, after) {
            (b'\\', _) => true,
            (b'%', [high, low, ..]) => {
                hex_pair(Some(*high), Some(*low)).is_some_and(|byte| class(byte) == Class::Segment)
            }
            _ => false,
        };
        if spelled {
            return true;
        }
    }
    false
}

/// The folded form of one canonical segment of a template.
pub(crate) fn fold_literal(canonical: &str, case_sensitive: bool) -> String {
    let decoded = decode_segment_characters(canonical);
    if case_sensitive {
        decoded
    } else {
        decoded.to_ascii_lowercase()
    }
}

/// Decodes what needs no encoding within a segment; a kept backslash gets one spelling.
fn decode_segment_characters(canonical: &str) -> String {
    let mut out = String::with_capacity(canonical.len());
    let mut rest = canonical;
    while let Some(at) = rest.find(['%', '\\']) {
        let (before, special) = rest.split_at(at);
        out.push_str(before);
        let width = if special.starts_with('\\') { 1 } else { 3 };
        let (token, after) = special.split_at_checked(width).unwrap_or((special, ""));
        match decoded(token.as_bytes()) {
            Some(byte) if class(byte) == Class::Segment => out.push(char::from(byte)),
            Some(byte) => push_encoded(&mut out, byte),
            None => out.push_str(token),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The byte that `\` or a percent-encoding stands for.
fn decoded(token: &[u8]) -> Option<u8> {
    match token {
        [b'\\'] => Some(b'\\'),
        [b'%', high, low] => hex_pair(Some(*high), Some(*low)),
        _ => None,
    }
}
