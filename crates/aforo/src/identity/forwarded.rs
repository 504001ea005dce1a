//! The `Forwarded` header (RFC 7239), read from the right.
//!
//! The right part is what our own proxies wrote; what stands left of it came from strangers. So
//! elements are cut off from the right, and nothing that stands further left, such as a quote that
//! nobody closed, can change how they read.

use std::borrow::Cow;
use std::net::IpAddr;

use super::entry;

/// The elements of one line, from the right, each as the address of its `for`. `None`: malformed,
/// without `for`, unknown or obfuscated. Empty elements are skipped.
pub(super) fn addresses_from_right(line: &[u8]) -> impl Iterator<Item = Option<IpAddr>> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let (left, element) = last_element(rest?);
        rest = left;
        Some(element)
    })
    .map(<[u8]>::trim_ascii)
    .filter(|element| !element.is_empty())
    .map(address)
}

/// Cuts the last element off: what stands before its comma, and the element.
fn last_element(line: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let mut quoted = false;
    for (place, byte) in line.iter().enumerate().rev() {
        let before = line.get(..place).unwrap_or_default();
        match byte {
            b'"' if !(quoted && is_escaping(before)) => quoted = !quoted,
            b',' if !quoted => {
                let after = line.get(place.saturating_add(1)..).unwrap_or_default();
                return (Some(before), after);
            }
            _ => {}
        }
    }
    (None, line)
}

/// Whether a text that ends here escapes the byte that follows: an odd number of backslashes.
fn is_escaping(before: &[u8]) -> bool {
    before
        .iter()
        .rev()
        .take_while(|byte| **byte == b'\\')
        .count()
        % 2
        == 1
}

/// The address of an element's `for`; two of them are none.
fn address(element: &[u8]) -> Option<IpAddr> {
    let mut found = None;
    let mut rest = element;
    while !rest.is_empty() {
        let (pair, after) = first_pair(rest)?;
        if let Some((name, value)) = pair
            && name.eq_ignore_ascii_case(b"for")
            && found.replace(value).is_some()
        {
            return None;
        }
        rest = after;
    }
    entry::address(&found?)
}

type Pair<'a> = (&'a [u8], Cow<'a, [u8]>);

/// Cuts the first pair off, with the semicolon behind it. An empty pair is legal.
fn first_pair(text: &[u8]) -> Option<(Option<Pair<'_>>, &[u8])> {
    let text = text.trim_ascii_start();
    if let Some(after) = text.strip_prefix(b";") {
        return Some((None, after));
    }
    if text.is_empty() {
        return Some((None, text));
    }
    let equals = text.iter().position(|byte| *byte == b'=')?;
    let (name, value) = (text.get(..equals)?, text.get(equals.checked_add(1)?..)?);
    if name.is_empty() || !name.iter().copied().all(is_token) {
        return None;
    }
    let (value, after) = match value.strip_prefix(b"\"") {
        Some(quoted) => unquoted(quoted)?,
        None => bare(value)?,
    };
    let after = after.trim_ascii_start();
    match after.split_first() {
        None => Some((Some((name, value)), after)),
        Some((b';', after)) => Some((Some((name, value)), after)),
        Some(_) => None,
    }
}

/// A quoted string up to its closing quote, and what follows.
fn unquoted(text: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let mut value = Vec::new();
    let mut bytes = text.iter().copied().enumerate();
    while let Some((place, byte)) = bytes.next() {
        match byte {
            b'"' => return Some((value.into(), text.get(place.checked_add(1)?..)?)),
            b'\\' => value.push(bytes.next()?.1),
            _ => value.push(byte),
        }
    }
    None
}

/// A token, and what follows. Colons and brackets should be quoted, but some proxies do not.
fn bare(text: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let ends = |byte: &u8| !(is_token(*byte) || matches!(byte, b':' | b'[' | b']'));
    let end = text.iter().position(ends).unwrap_or(text.len());
    let (value, after) = text.split_at_checked(end)?;
    (!value.is_empty()).then_some((value.into(), after))
}

/// A byte of a token (RFC 9110, section 5.6.2).
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<Option<String>> {
        addresses_from_right(line.as_bytes())
            .map(|address| address.map(|address| address.to_string()))
            .collect()
    }

    fn one(line: &str) -> Option<String> {
        let all = read(line);
        assert_eq!(all.len(), 1, "{line}");
        all.into_iter().next().flatten()
    }

    #[test]
    fn the_examples_of_rfc_7239_are_read() {
        assert_eq!(one("for=\"_gazonk\""), None);
        assert_eq!(
            one("For=\"[2001:db8:cafe::17]:4711\"").as_deref(),
            Some("2001:db8:cafe::17")
        );
        assert_eq!(
            one("for=192.0.2.60;proto=http;by=203.0.113.43").as_deref(),
            Some("192.0.2.60")
        );
        assert_eq!(
            read("for=192.0.2.43, for=198.51.100.17"),
            [Some("198.51.100.17".into()), Some("192.0.2.43".into())]
        );
        assert_eq!(
            read("for=192.0.2.43,for=\"[2001:db8:cafe::17]\",for=unknown"),
            [
                None,
                Some("2001:db8:cafe::17".into()),
                Some("192.0.2.43".into())
            ]
        );
        assert_eq!(read("for=_hidden, for=_SEVKISEK"), [None, None]);
    }

    #[test]
    fn common_liberties_are_read() {
        assert_eq!(one("for=192.0.2.1:8080").as_deref(), Some("192.0.2.1"));
        assert_eq!(one("for=[2001:db8::1]:80").as_deref(), Some("2001:db8::1"));
        assert_eq!(
            one("proto=https; FOR=192.0.2.1 ;").as_deref(),
            Some("192.0.2.1")
        );
        assert_eq!(one("; ;for=192.0.2.1").as_deref(), Some("192.0.2.1"));
        assert_eq!(one("for=\"192\\.0.2.1\"").as_deref(), Some("192.0.2.1"));
        assert_eq!(read("for=192.0.2.1, ,"), [Some("192.0.2.1".into())]);
    }

    #[test]
    fn malformed_elements_have_no_address() {
        for line in [
            "192.0.2.1",
            "for",
            "for=",
            "for=;proto=http",
            "=192.0.2.1",
            "for=\"192.0.2.1",
            "for=\"192.0.2.1\"x",
            "for=192.0.2.1\"",
            "for=\"192.0.2.1\\\"",
            "for=192.0.2.1 proto=http",
            "for = 192.0.2.1",
            "for=192.0.2.1;for=192.0.2.2",
            "proto=https;host=a",
            "f\u{e9}r=192.0.2.1",
        ] {
            assert_eq!(one(line), None, "{line}");
        }
    }

    #[test]
    fn commas_and_semicolons_in_quotes_are_text() {
        assert_eq!(
            read("for=192.0.2.1;host=\"a,b;for=10.0.0.1\""),
            [Some("192.0.2.1".into())]
        );
        assert_eq!(
            read("for=192.0.2.1;host=\"a\\\",b\", for=192.0.2.2"),
            [Some("192.0.2.2".into()), Some("192.0.2.1".into())]
        );
    }

    #[test]
    fn an_open_quote_on_the_left_does_not_swallow_the_right() {
        for left in ["for=\"", "for=\"192.0.2.9\\", "x=\"\\\"", "\"", "\\"] {
            let line = format!("{left}, for=\"[2001:db8::1]:1\";host=\"a,b\", for=192.0.2.2");
            assert_eq!(
                read(&line).get(..2),
                Some([Some("192.0.2.2".into()), Some("2001:db8::1".into())].as_slice()),
                "{line}"
            );
        }
    }
}
