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

/// Decimal digits.
pub(super) fn integer(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
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
