//! Whether a path has but one spelling: what nearly every request sends.

use super::byte::{Class, class};

/// A byte that stands for itself and nothing else.
const STANDS: u8 = 0;
/// It may begin a dot segment.
const DOT: u8 = 1;
/// It ends a segment.
const SLASH: u8 = 2;
/// It has to be looked at.
const ODD: u8 = 4;

/// What each byte means.
static MEANINGS: [u8; 256] = meanings();

#[expect(
    clippy::indexing_slicing,
    reason = "computed by the compiler, for all bytes"
)]
const fn meanings() -> [u8; 256] {
    let mut meanings = [ODD; 256];
    let mut byte: u8 = 0;
    while byte < 0x80 {
        meanings[byte as usize] = match class(byte) {
            _ if byte == b'/' => SLASH,
            _ if byte == b'.' => DOT,
            Class::Unreserved | Class::Segment => STANDS,
            _ => ODD,
        };
        byte = byte.wrapping_add(1);
    }
    meanings
}

/// Whether the path is canonical, and nothing in it is encoded: one look at each byte. A segment
/// that begins with a dot is left to those who look closer.
pub(super) fn is_plain(path: &str) -> bool {
    // What a byte may not mean, by the one before: after a slash neither dot nor slash.
    let (mut refused, mut seen) = (ODD, 0);
    for byte in path.bytes() {
        let meaning = MEANINGS.get(usize::from(byte)).copied().unwrap_or(ODD);
        seen |= meaning & refused;
        refused = ODD | (meaning & SLASH) | (meaning & SLASH) >> 1;
    }
    path.starts_with('/') && seen == 0
}
