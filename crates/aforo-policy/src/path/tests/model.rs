//! Canonical paths against a slow model that is written another way: one step after the other
//! on whole lists.

#![allow(clippy::arithmetic_side_effects, reason = "a test may panic")]

use proptest::prelude::*;

use crate::path::{CanonicalPath, PathError};
use crate::{EncodedSlash, Paths, TrailingSlash};

/// One character of a path, decoded once.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Plain(u8),
    Encoded(u8),
}

fn signs(path: &str) -> Result<Vec<Sign>, PathError> {
    let mut signs = Vec::new();
    let bytes = path.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits = path.get(at + 1..at + 3).ok_or(PathError::Malformed)?;
            let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let value = u8::from_str_radix(digits, 16).map_err(|_| PathError::Malformed)?;
            if !hex {
                return Err(PathError::Malformed);
            }
            signs.push(Sign::Encoded(value));
            at += 3;
        } else {
            signs.push(Sign::Plain(bytes[at]));
            at += 1;
        }
    }
    Ok(signs)
}

fn model(raw: &str, keep: bool) -> Result<String, PathError> {
    let signs = signs(raw)?;
    for sign in &signs {
        match sign {
            Sign::Encoded(b'/' | b'\\' | 0) | Sign::Plain(b'\\') if !keep => {
                return Err(PathError::EncodedSlash);
            }
            Sign::Plain(byte) if *byte <= 32 || *byte == 127 || b"?#".contains(byte) => {
                return Err(PathError::Malformed);
            }
            _ => {}
        }
    }
    let mut kept: Vec<String> = Vec::new();
    let mut open = true;
    for segment in signs[1..].split(|sign| *sign == Sign::Plain(b'/')) {
        let named = segment.split(|sign| *sign == Sign::Plain(b';')).next();
        let text: String = named.unwrap().iter().map(written).collect();
        open = matches!(text.as_str(), "" | "." | "..");
        if text == ".." {
            kept.pop();
        } else if !open {
            kept.push(text);
        }
    }
    let mut path: String = kept.iter().map(|segment| format!("/{segment}")).collect();
    if open {
        path.push('/');
    }
    Ok(path)
}

fn written(sign: &Sign) -> String {
    let (Sign::Plain(byte) | Sign::Encoded(byte)) = *sign;
    let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let stands = b"!$&'()*+,=:@\\".contains(&byte) && matches!(sign, Sign::Plain(_));
    if unreserved || stands {
        char::from(byte).to_string()
    } else {
        format!("%{byte:02X}")
    }
}

fn raw_path() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        8 => prop::sample::select(vec!["/", "/", "/", ".", "..", "/./", "/../", "a", "B", "z9"]),
        3 => prop::sample::select(vec![";", ";x=1", "%2e", "%2E", "%61", "%c3%a9", "%20", "%25"]),
        2 => prop::sample::select(vec!["@", ":", "%40", "%3a", "%3b", "é", "{", "|", "~"]),
        1 => prop::sample::select(vec!["%2f", "%5C", "%00", "\\", "%", "%4", "?", "#", " "]),
    ];
    prop::collection::vec(token, 0..24).prop_map(|tokens| format!("/{}", tokens.concat()))
}

fn any_paths() -> impl Strategy<Value = Paths> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(case_sensitive, ignore, keep)| Paths {
        case_sensitive,
        trailing_slash: if ignore {
            TrailingSlash::Ignore
        } else {
            TrailingSlash::Strict
        },
        encoded_slash: if keep {
            EncodedSlash::Keep
        } else {
            EncodedSlash::Reject
        },
    })
}

proptest! {
    #[test]
    fn the_canonical_path_is_the_models(raw in raw_path(), keep in any::<bool>()) {
        let encoded_slash = if keep { EncodedSlash::Keep } else { EncodedSlash::Reject };
        let paths = Paths { encoded_slash, ..Paths::default() };
        match (CanonicalPath::new(&raw, &paths), model(&raw, keep)) {
            (Ok(path), Ok(expected)) => prop_assert_eq!(path.forwarded(), expected),
            // Which of two faults is named first is left open.
            (Err(_), Err(_)) => {}
            (got, expected) => prop_assert!(false, "{:?} instead of {:?}", got, expected),
        }
    }

    #[test]
    fn a_second_pass_changes_nothing(raw in raw_path(), paths in any_paths()) {
        let Ok(once) = CanonicalPath::new(&raw, &paths) else { return Ok(()) };
        let twice = CanonicalPath::new(once.forwarded(), &paths).unwrap();
        prop_assert_eq!(twice.forwarded(), once.forwarded());
        prop_assert_eq!(twice.matched(), once.matched());
        let folded = CanonicalPath::new(once.matched(), &paths).unwrap();
        prop_assert_eq!(folded.matched(), once.matched());
    }

    #[test]
    fn any_text_is_a_path_or_refused(raw in any::<String>(), paths in any_paths()) {
        if let Ok(path) = CanonicalPath::new(&raw, &paths) {
            let text = path.forwarded();
            prop_assert!(text == "*" || text.starts_with('/'));
            prop_assert!(text.is_ascii() && !text.contains("//") && !text.contains(';'));
            prop_assert!(text.split('/').all(|segment| segment != "." && segment != ".."));
        }
    }
}
