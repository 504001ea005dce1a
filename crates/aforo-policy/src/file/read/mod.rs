//! Reading values of a parsed text into raw types, going on after an error.

mod contents;
mod values;

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::Environment;
use super::findings::Findings;
use super::nearest::nearest;
use super::source::Location;
pub(in crate::file) use contents::Contents;

/// What reading needs: the file that is read, and where errors go.
pub(in crate::file) struct Reader<'r> {
    pub(in crate::file) file: usize,
    /// The file's folder.
    pub(in crate::file) folder: &'r Path,
    pub(in crate::file) text: &'r str,
    pub(in crate::file) environment: &'r dyn Environment,
    pub(in crate::file) findings: &'r mut Findings,
}

/// A value with its place.
#[derive(Clone, Copy)]
pub(in crate::file) struct Node<'n> {
    pub(in crate::file) value: &'n DeValue<'n>,
    pub(in crate::file) at: Location,
}

/// A type that can be read from a value.
pub(in crate::file) trait Read: Sized {
    /// Reads it; on `None` the error is noted.
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self>;
}

/// A field of a table. One that was there but wrong is told apart from one that was not there,
/// so that one mistake makes one error.
#[derive(Clone, Debug)]
pub(in crate::file) enum Field<T> {
    Absent,
    Wrong,
    Given(T),
}

/// A string with its place.
#[derive(Clone, Debug)]
pub(in crate::file) struct Text {
    /// The value, with variables put in.
    pub(in crate::file) value: String,
    /// The value as written: errors show this one, since a variable may hold a secret.
    pub(in crate::file) written: String,
    pub(in crate::file) at: Location,
    /// Where the value's first byte is, when the value is written letter by letter.
    inner: Option<usize>,
}

/// A value with its place.
#[derive(Clone, Copy, Debug)]
pub(in crate::file) struct Located<T> {
    pub(in crate::file) value: T,
    pub(in crate::file) at: Location,
}

/// A list with its place.
#[derive(Clone, Debug)]
pub(in crate::file) struct List<T> {
    pub(in crate::file) items: Vec<T>,
    pub(in crate::file) at: Location,
    /// Whether the file's list is empty (`items` leaves out what is wrong).
    pub(in crate::file) empty: bool,
}

/// One value or a list of such.
#[derive(Clone, Debug)]
pub(in crate::file) struct OneOrMany<T>(pub(in crate::file) List<T>);

/// Tables by name, in the file's order.
#[derive(Clone, Debug)]
pub(in crate::file) struct Named<T>(pub(in crate::file) Vec<(Text, T)>);

impl<T> Field<T> {
    pub(in crate::file) fn get(&self) -> Option<&T> {
        match self {
            Self::Given(value) => Some(value),
            Self::Absent | Self::Wrong => None,
        }
    }

    pub(in crate::file) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    pub(in crate::file) fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong)
    }
}

impl<T: Read> Field<T> {
    pub(in crate::file) fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Self {
        T::read(node, reader).map_or(Self::Wrong, Self::Given)
    }
}

impl Text {
    /// The place of a part of the value, as near as it can be told.
    pub(in crate::file) fn part(&self, range: std::ops::Range<usize>) -> Location {
        let Some(inner) = self.inner else {
            return self.at;
        };
        Location {
            file: self.at.file,
            start: inner.saturating_add(range.start),
            end: inner.saturating_add(range.end),
        }
    }

    pub(in crate::file) fn as_str(&self) -> &str {
        &self.value
    }

    /// A message that quotes the value, or one that does not when variables were put in.
    pub(in crate::file) fn told(&self, message: impl Into<String>) -> String {
        if self.value == self.written {
            return message.into();
        }
        format!("`{}` with its variables put in is wrong here", self.written)
    }
}

impl<T> List<T> {
    pub(in crate::file) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
}

impl Reader<'_> {
    pub(in crate::file) fn location(&self, span: std::ops::Range<usize>) -> Location {
        Location {
            file: self.file,
            start: span.start,
            end: span.end,
        }
    }

    /// A key as text with its place.
    pub(in crate::file) fn key(&self, key: &toml::Spanned<toml::de::DeString<'_>>) -> Text {
        let at = self.location(key.span());
        self.text_at(key.get_ref(), key.get_ref().to_string(), at)
    }

    fn text_at(&self, written: &str, value: String, at: Location) -> Text {
        let source = self.text.get(at.start..at.end).unwrap_or_default();
        let quoted = source.get(1..source.len().saturating_sub(1));
        let inner = if value != written {
            None
        } else if source == written {
            Some(at.start)
        } else if quoted == Some(written) {
            Some(at.start.saturating_add(1))
        } else {
            None
        };
        Text {
            value,
            written: written.to_owned(),
            at,
            inner,
        }
    }

    /// Notes that a value has another type.
    pub(in crate::file) fn mistyped<T>(&mut self, node: Node<'_>, expected: &str) -> Option<T> {
        let found = found(node.value);
        self.findings
            .add(node.at, format!("found {found}"))
            .expected(expected);
        None
    }

    /// The table that a value is.
    pub(in crate::file) fn table<'n>(&mut self, node: Node<'n>) -> Option<&'n DeTable<'n>> {
        match node.value {
            DeValue::Table(table) => Some(table),
            _ => self.mistyped(node, "a table"),
        }
    }

    /// The parts of a table.
    pub(in crate::file) fn entries<'n>(&self, table: &'n DeTable<'n>) -> Vec<(Text, Node<'n>)> {
        let mut entries: Vec<_> = table
            .iter()
            .map(|(key, value)| {
                let node = Node {
                    value: value.get_ref(),
                    at: self.location(value.span()),
                };
                (self.key(key), node)
            })
            .collect();
        entries.sort_by_key(|(key, _)| key.at);
        entries
    }

    /// Notes a field that the table does not have.
    pub(in crate::file) fn unknown(&mut self, key: &Text, known: &[&str]) {
        let nearest = nearest(&key.value, known.iter().copied());
        let fault = self
            .findings
            .add(key.at, format!("unknown field `{}`", key.value));
        fault.expected(known.join(", "));
        if let Some(nearest) = nearest {
            fault.help(format!("did you mean `{nearest}`?"));
        }
    }
}

fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string \"{text}\""),
        DeValue::Integer(integer) => format!("the integer {integer}"),
        DeValue::Float(float) => format!("the number {float}"),
        DeValue::Boolean(value) => format!("{value}"),
        DeValue::Datetime(datetime) => format!("the date {datetime}"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
