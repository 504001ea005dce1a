//! JSON pointers into bodies: never panics, finds what serde_json finds, and never counts what a
//! reader of duplicate members may see otherwise.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may panic"
)]

mod login;

use login::{Counted, Login};
use serde::de::IgnoredAny;
use serde_json::Value;

const TOKENS: [&str; 32] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"a\"",
    "\"b\"",
    "\"a/b\"",
    "\"~\"",
    "\"\"",
    "\"a\":",
    "\"b\":",
    "\"a/b\":",
    "\"~\":",
    "\"\":",
    "0",
    "1",
    "-0",
    "1.0",
    "1e2",
    "1e400",
    "true",
    "null",
    "\"x\"",
    "\"\\u00e9\"",
    "\"\\ud800\"",
    " ",
    "\n",
    "{\"a\":",
    "[[[[[[[[",
    "\"",
];

const POINTERS: [&str; 8] = ["/a", "/a/b", "/a/0", "/a~1b", "/~0", "/", "/a/b/1/a", "/0"];

#[test]
fn json_pointer_finds_what_serde_json_finds() {
    let logins: Vec<Login> = POINTERS
        .iter()
        .map(|pointer| Login::by(&format!("body:{pointer}"), pointer))
        .collect();
    assert_eq!(
        logins[1].body("application/json", br#"{"a":{"b":"ana"}}"#),
        Counted::As("ana".to_owned())
    );
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let body = match bytes.split_first() {
                Some((first, rest)) if first % 4 > 0 => document(&mut rest.iter(), 0),
                _ => aforo_fuzz::sentence(&TOKENS, bytes),
            };
            let document = serde_json::from_str::<Value>(&body);
            for (pointer, login) in POINTERS.iter().zip(&logins) {
                let counted = login.body("application/json", body.as_bytes());
                if serde_json::from_str::<IgnoredAny>(&body).is_err() && !body.is_empty() {
                    assert_eq!(counted, Counted::Unreadable, "{body:?}");
                }
                // Elsewhere in the body may stand what serde_json's values cannot hold: 1e400.
                let Ok(document) = &document else {
                    continue;
                };
                let expected = expected(document.pointer(pointer));
                let is_right = counted == expected || counted == Counted::Twice;
                assert!(is_right, "{counted:?} at {pointer} of {body:?}");
                if counted == Counted::Twice {
                    assert!(body.matches("\":").count() > 1, "{body:?}");
                }
                let items = login.items(body.as_bytes());
                let right = match document.pointer(pointer) {
                    None | Some(Value::Null) => Some(1),
                    Some(Value::Array(items)) => Some(items.len().max(1) as u64),
                    Some(_) => None,
                };
                assert!(
                    items == right || items.is_none() && counted == Counted::Twice,
                    "{items:?} items at {pointer} of {body:?}"
                );
            }
        });
}

/// A JSON document that the bytes choose, with members twice.
fn document(bytes: &mut std::slice::Iter<'_, u8>, depth: usize) -> String {
    const SCALARS: [&str; 10] = [
        "0",
        "-0.0",
        "7",
        "1e3",
        "true",
        "null",
        "\"\"",
        "\"ana\"",
        "\"\\u00e9\"",
        "[]",
    ];
    const NAMES: [&str; 5] = ["a", "b", "a/b", "~", ""];
    let byte = usize::from(bytes.next().copied().unwrap_or_default());
    let count = byte / 8 % 4;
    match byte % 8 {
        0..=3 if depth < 5 => {
            let mut member = || {
                let name = usize::from(bytes.next().copied().unwrap_or_default());
                format!(
                    "\"{}\":{}",
                    NAMES[name % 5],
                    document(bytes, depth.saturating_add(1))
                )
            };
            let members: Vec<String> = (0..=count).map(|_| member()).collect();
            format!("{{{}}}", members.join(","))
        }
        4 | 5 if depth < 5 => {
            let items: Vec<String> = (0..count)
                .map(|_| document(bytes, depth.saturating_add(1)))
                .collect();
            format!("[{}]", items.join(", "))
        }
        _ => SCALARS[byte % 10].to_owned(),
    }
}

/// What is to be counted of a value.
fn expected(value: Option<&Value>) -> Counted {
    match value {
        None | Some(Value::Null) => Counted::Nothing,
        Some(Value::String(text)) if text.is_empty() => Counted::Nothing,
        Some(Value::String(text)) => Counted::As(text.clone()),
        Some(Value::Bool(flag)) => Counted::As(flag.to_string()),
        Some(Value::Number(number)) => Counted::As(match number.as_f64() {
            Some(float) if number.is_f64() && float == 0.0 => "0".to_owned(),
            Some(float) if number.is_f64() => float.to_string(),
            _ => number.to_string(),
        }),
        Some(Value::Array(_) | Value::Object(_)) => Counted::Unreadable,
    }
}
