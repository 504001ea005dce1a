//! Whether a path is canonical already: one pass over its bytes.

use super::byte::{Class, class, hex_pair, is_hidden_separator};

/// Whether `rewrite` would answer with the same text.
pub(super) fn is_canonical(path: &str, keep_separators: bool) -> bool {
    let Some(rest) = path.strip_prefix('/') else {
        return false;
    };
    let mut previous = b'/';
    let mut bytes = rest.as_bytes().iter();
    while let Some(&byte) = bytes.next() {
        if previous == b'/'
            && (byte == b'/' || byte == b'.' && starts_dot_segment(bytes.as_slice()))
        {
            return false;
        }
        previous = byte;
        if byte == b'/' {
            continue;
        }
        let stays = match class(byte) {
            Class::Unreserved | Class::Segment => true,
            Class::Percent => stays_encoded(
                bytes.next().copied(),
                bytes.next().copied(),
                keep_separators,
            ),
            Class::Backslash => keep_separators,
            Class::Semicolon | Class::Encoded | Class::Bad => false,
        };
        if !stays {
            return false;
        }
    }
    true
}

/// Whether a segment that begins with a dot is `.` or `..`; `rest` comes after the dot.
fn starts_dot_segment(rest: &[u8]) -> bool {
    matches!(rest, [] | [b'/', ..] | [b'.'] | [b'.', b'/', ..])
}

/// Whether a percent-encoding is spelled as it is forwarded.
fn stays_encoded(high: Option<u8>, low: Option<u8>, keep_separators: bool) -> bool {
    let upper = |digit: Option<u8>| digit.is_some_and(|digit| !digit.is_ascii_lowercase());
    let Some(byte) = hex_pair(high, low) else {
        return false;
    };
    upper(high)
        && upper(low)
        && class(byte) != Class::Unreserved
        && (keep_separators || !is_hidden_separator(byte))
}
