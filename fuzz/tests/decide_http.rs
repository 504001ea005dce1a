//! Bodies of `/v1/decide`: never panics, and whatever is understood is a request or policies within
//! their bounds.

// The program is no library: its reader uses nothing of the crate around it.
#[path = "../../crates/aforo-server/src/decide/http/wire/mod.rs"]
#[allow(dead_code, unused_imports, unreachable_pub, missing_docs)]
mod wire;

use wire::{Asked, Kind, Question, read};

const TOKENS: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    " ",
    "\n",
    "null",
    "true",
    "-1",
    "0",
    "1e999",
    "18446744073709551615",
    "18446744073709551616",
    "\"request\":",
    "\"policy\":",
    "\"policies\":",
    "\"partition\":",
    "\"cost\":",
    "\"receipt\":",
    "\"decisions\":",
    "\"method\":",
    "\"path\":",
    "\"host\":",
    "\"address\":",
    "\"headers\":",
    "\"consumer\":",
    "\"id\":",
    "\"body\":",
    "\"a\"",
    "\"/\"",
    "\"/a?b=%41\"",
    "\"192.0.2.7\"",
    "\"::1\"",
    "\"GET\"",
    "\"host\":\"a\"",
    "{\"policy\":\"a\"}",
    "{\"request\":{\"path\":\"/\"}}",
    "é",
];

fn is_sound(question: Question) {
    match question.kind() {
        Ok(Kind::Policies(charges)) => assert!((1..=64).contains(&charges.len())),
        Ok(Kind::Request(facts, _)) => {
            if let Ok(taken) = facts.taken() {
                assert!(taken.request.uri().path().starts_with('/'));
                assert!(taken.request.uri().scheme().is_none());
            }
        }
        Err(expected) => assert!(!expected.is_empty()),
    }
}

#[test]
fn questions_are_understood_or_refused() {
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let sentence = aforo_fuzz::sentence(&TOKENS, bytes).into_bytes();
            for body in [bytes, &sentence] {
                match read(body) {
                    Ok(Asked::One(question)) => is_sound(*question),
                    Ok(Asked::List(list) | Asked::Decisions(list)) => {
                        assert!(list.len() <= 1_000);
                        list.into_iter().for_each(is_sound);
                    }
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        });
}
