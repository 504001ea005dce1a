//! One word of a few.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::file::nearest::nearest;
use crate::file::read::{Node, Read, Reader, Text};
use crate::file::source::Location;

/// A settings type that is written as a word.
pub(in crate::file) trait Word: Copy + 'static {
    /// The words, what they are, and what they mean.
    const WORDS: &'static [(&'static str, Self, &'static str)];
    /// Words of the contract that are not built yet.
    const LATER: &'static [&'static str];
}

/// One word of a few, with its place.
#[derive(Clone, Copy, Debug)]
pub(in crate::file) struct Choice<W> {
    pub(in crate::file) value: W,
    pub(in crate::file) at: Location,
}

impl<W: Word> Choice<W> {
    /// The word that a text is.
    pub(in crate::file) fn of(text: &Text, reader: &mut Reader<'_>) -> Option<Self> {
        let word = text.as_str();
        if W::LATER.contains(&word) {
            reader.findings.later(text.at, word);
            return None;
        }
        let known = W::WORDS.iter().find(|(known, _, _)| *known == word);
        if let Some((_, value, _)) = known {
            return Some(Self {
                value: *value,
                at: text.at,
            });
        }
        let words: Vec<&str> = W::WORDS.iter().map(|(word, _, _)| *word).collect();
        let near = nearest(word, words.iter().copied());
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let fault = reader
            .findings
            .add(text.at, format!("found \"{}\"", text.written));
        fault.expected(quoted.join(" or "));
        if let Some(near) = near {
            fault.help(format!("did you mean \"{near}\"?"));
        }
        None
    }
}

impl<W: Word> Read for Choice<W> {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let text = Text::read(node, reader)?;
        Self::of(&text, reader)
    }
}

impl<W: Word> JsonSchema for Choice<W> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        std::any::type_name::<W>().into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<_> = W::WORDS
            .iter()
            .map(|(word, _, meaning)| serde_json::json!({ "const": word, "description": meaning }))
            .collect();
        json_schema!({ "oneOf": words })
    }
}
