//! One question, or many of them.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use super::Question;

/// The most questions of one body.
pub(crate) const MOST_QUESTIONS: usize = 1_000;

/// What a body asks.
#[derive(Debug)]
pub(crate) enum Asked {
    /// One question, answered by an object.
    One(Box<Question>),
    /// A list, answered by a list.
    List(Vec<Question>),
    /// `{"decisions": […]}`, answered by the same.
    Decisions(Vec<Question>),
}

/// A bounded list.
struct Questions(Vec<Question>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decisions {
    decisions: Questions,
}

/// Reads a body. An object whose first member is `decisions` is a list.
///
/// # Errors
/// What was wrong, and where.
pub(crate) fn read(body: &[u8]) -> serde_json::Result<Asked> {
    if body.trim_ascii_start().starts_with(b"[") {
        let Questions(list) = serde_json::from_slice(body)?;
        return Ok(Asked::List(list));
    }
    if begins_with_decisions(body) {
        let Decisions { decisions } = serde_json::from_slice(body)?;
        return Ok(Asked::Decisions(decisions.0));
    }
    let question = serde_json::from_slice(body)?;
    Ok(Asked::One(Box::new(question)))
}

fn begins_with_decisions(body: &[u8]) -> bool {
    let inside = body.trim_ascii_start().strip_prefix(b"{");
    inside.is_some_and(|inside| inside.trim_ascii_start().starts_with(b"\"decisions\""))
}

impl<'de> Deserialize<'de> for Questions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Questions;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of decisions")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Questions, A::Error> {
        let mut questions = Vec::new();
        while let Some(question) = list.next_element()? {
            if questions.len() >= MOST_QUESTIONS {
                return Err(A::Error::custom(format!(
                    "expected at most {MOST_QUESTIONS} decisions in one request"
                )));
            }
            questions.push(question);
        }
        Ok(Questions(questions))
    }
}
