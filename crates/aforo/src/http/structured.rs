//! Writing structured field values (RFC 9651): the few kinds that the RateLimit fields have.

/// The largest integer of a structured field (RFC 9651, section 3.3.1).
const LARGEST: u64 = 999_999_999_999_999;

/// A string of which is known that nothing in it has to be escaped, as a policy's name is.
pub(super) fn plain_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// A string. What no structured string can hold becomes `?`.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    if text.bytes().all(is_plain) {
        plain_string(out, text);
    } else {
        out.push(b'"');
        escape(out, text);
        out.push(b'"');
    }
}

const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

fn escape(out: &mut Vec<u8>, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b' '..=b'~' => out.push(byte),
            _ => out.push(b'?'),
        }
    }
}

/// A parameter with an integer, by its name as `;name=`. An integer too large is told as the
/// largest.
#[inline]
pub(super) fn integer_parameter<const N: usize>(out: &mut Vec<u8>, name: &[u8; N], value: u64) {
    out.extend_from_slice(name);
    integer(out, value.min(LARGEST));
}

/// What eight digits can tell.
const EIGHT_DIGITS: u64 = 100_000_000;
/// The digits from 0, eight times.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Decimal digits.
#[inline]
pub(super) fn integer(out: &mut Vec<u8>, value: u64) {
    match value {
        ..EIGHT_DIGITS => {
            let digits = eight_digits(value);
            // Seven at most: the last one stands, also where it is 0.
            let leading = digits.trailing_zeros().min(56) & !7;
            let shifted = (digits | ZEROS).wrapping_shr(leading);
            out.extend_from_slice(&shifted.to_le_bytes());
            let unused = leading.wrapping_shr(3) as usize;
            out.truncate(out.len().saturating_sub(unused));
        }
        _ => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
    }
}

/// Eight decimal digits, the first in the lowest byte: halves, then quarters, then single digits
/// are divided side by side in one word, by multiplying with the reciprocal.
const fn eight_digits(value: u64) -> u64 {
    let high = value / 10_000;
    let fours = high | value.wrapping_sub(high.wrapping_mul(10_000)) << 32;
    // ⌊n/100⌋ is ⌊10486·n/2²⁰⌋ below 10⁴, and ⌊n/10⌋ is ⌊103·n/2¹⁰⌋ below 100.
    let high = (fours.wrapping_mul(10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = high | fours.wrapping_sub(high.wrapping_mul(100)) << 16;
    let high = (pairs.wrapping_mul(103) >> 10) & 0x000f_000f_000f_000f;
    high | pairs.wrapping_sub(high.wrapping_mul(10)) << 8
}

/// What stands between two members of a list.
pub(super) fn comma(out: &mut Vec<u8>) {
    out.extend_from_slice(b", ");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sfv::{BareItem, Item, Parser};

    use super::*;

    fn parsed(out: &[u8]) -> Item {
        Parser::new(out).parse().unwrap()
    }

    #[test]
    fn quotes_and_backslashes_are_escaped() {
        let mut out = Vec::new();
        string(&mut out, "a\"b\\c");
        assert_eq!(out, br#""a\"b\\c""#);
    }

    #[test]
    fn integers_stop_at_fifteen_digits() {
        let mut out = b"x".to_vec();
        integer_parameter(&mut out, b";q=", u64::MAX);
        assert_eq!(out, b"x;q=999999999999999");
    }

    #[test]
    fn digits_are_decimal() {
        let digits = |value: u64| {
            let mut out = b"x".to_vec();
            integer(&mut out, value);
            String::from_utf8(out).unwrap()
        };
        let powers = (0..20).map(|exponent| 10_u64.pow(exponent));
        let edges = powers.flat_map(|power| [power - 1, power, power + 1, power / 10 * 7]);
        for value in edges.chain(0..20_000).chain([u64::MAX]) {
            assert_eq!(digits(value), format!("x{value}"));
        }
        for pair in 0..10_000 {
            let value = pair * 10_000 + (9_999 - pair);
            assert_eq!(digits(value), format!("x{value}"));
        }
    }

    proptest! {
        #[test]
        fn any_printable_text_comes_back(text in "[ -~]{0,40}", value in 0..=LARGEST) {
            let mut out = Vec::new();
            string(&mut out, &text);
            integer_parameter(&mut out, b";q=", value);
            let item = parsed(&out);
            let BareItem::String(read) = &item.bare_item else { panic!("{item:?}") };
            prop_assert_eq!(read.as_str(), text);
            let q = item.params.get("q").and_then(BareItem::as_integer).unwrap();
            prop_assert_eq!(i64::from(q), i64::try_from(value).unwrap());
        }

        #[test]
        fn any_text_gives_a_valid_string(text in any::<String>()) {
            let mut out = Vec::new();
            string(&mut out, &text);
            let item = parsed(&out);
            prop_assert!(item.bare_item.as_string().is_some());
        }
    }
}
