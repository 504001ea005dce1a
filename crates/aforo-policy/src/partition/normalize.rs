//! One spelling for parts that come from the request.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::Normalize;

/// The value in its one spelling, whatever the order in the file: trimmed, composed, lower case.
/// Bytes that are not UTF-8 are trimmed and lowered as ASCII.
pub(crate) fn normalized<'v>(value: &'v [u8], how: &[Normalize]) -> Cow<'v, [u8]> {
    if how.is_empty() {
        return Cow::Borrowed(value);
    }
    let wants = |one| how.contains(&one);
    let trim = wants(Normalize::Trim);
    match std::str::from_utf8(value) {
        Ok(text) if !value.is_ascii() => {
            let text = if trim { text.trim() } else { text };
            unicode(text, wants(Normalize::Lowercase), wants(Normalize::Nfc))
        }
        _ => ascii(value, trim, wants(Normalize::Lowercase)),
    }
}

fn ascii(value: &[u8], trim: bool, lowercase: bool) -> Cow<'_, [u8]> {
    // Vertical tab is white space to Unicode, though not to `trim_ascii`.
    let white = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let mut value = value;
    while let [first, rest @ ..] = value
        && trim
        && white(first)
    {
        value = rest;
    }
    while let [rest @ .., last] = value
        && trim
        && white(last)
    {
        value = rest;
    }
    if lowercase && value.iter().any(u8::is_ascii_uppercase) {
        return Cow::Owned(value.to_ascii_lowercase());
    }
    Cow::Borrowed(value)
}

fn unicode(text: &str, lowercase: bool, nfc: bool) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(text);
    if nfc {
        text = composed(text);
    }
    if lowercase {
        text = Cow::Owned(text.to_lowercase());
    }
    // Lower case can take a text out of NFC.
    if nfc && lowercase {
        text = composed(text);
    }
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

fn composed(text: Cow<'_, str>) -> Cow<'_, str> {
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return text;
    }
    Cow::Owned(text.nfc().collect())
}
