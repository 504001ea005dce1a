//! What a byte of a path may be.

/// What a byte of a raw path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Stands for itself: unreserved (RFC 3986, 2.3).
    Unreserved,
    /// Stands for itself within a segment: `!$&'()*+,=:@`.
    Segment,
    /// Begins a percent-encoding.
    Percent,
    /// Begins a parameter.
    Semicolon,
    /// Read as a slash by some servers.
    Backslash,
    /// Has to be percent-encoded.
    Encoded,
    /// Has no place in a path.
    Bad,
}

/// The class of a byte other than `/`.
pub(super) const fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => Class::Unreserved,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b'=' | b':' | b'@' => {
            Class::Segment
        }
        b'%' => Class::Percent,
        b';' => Class::Semicolon,
        b'\\' => Class::Backslash,
        0..=b' ' | 0x7f | b'?' | b'#' => Class::Bad,
        _ => Class::Encoded,
    }
}

/// Whether a decoded byte must not hide in a path: `/`, `\` and NUL.
pub(super) const fn is_hidden_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\' | 0)
}

/// The value of a hexadecimal digit.
const fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit.wrapping_sub(b'0')),
        b'a'..=b'f' => Some(digit.wrapping_sub(b'a').wrapping_add(10)),
        b'A'..=b'F' => Some(digit.wrapping_sub(b'A').wrapping_add(10)),
        _ => None,
    }
}

/// The byte that two hexadecimal digits stand for.
pub(crate) fn hex_pair(high: Option<u8>, low: Option<u8>) -> Option<u8> {
    let (high, low) = (hex_digit(high?)?, hex_digit(low?)?);
    Some(high.wrapping_shl(4) | low)
}

/// Writes a byte percent-encoded, with upper-case digits.
pub(super) fn push_encoded(out: &mut String, byte: u8) {
    let digit = |value: u8| match value {
        0..=9 => char::from(b'0'.wrapping_add(value)),
        _ => char::from(b'A'.wrapping_add(value.wrapping_sub(10))),
    };
    out.push('%');
    out.push(digit(byte.wrapping_shr(4)));
    out.push(digit(byte & 0x0f));
}
