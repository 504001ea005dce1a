//! Path templates: `/orders/{id}/files/{*rest}`.

mod cover;
mod error;

#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use cover::{covers, without_rest};
pub use error::TemplateError;

use crate::path::{fold_literal, rewrite};

/// A path template: literals, `{name}` for one segment, and a last `{*name}` for zero or more.
///
/// ```
/// use aforo_policy::Template;
/// let template = Template::parse("/orders/{id}")?;
/// assert_eq!(template.as_str(), "/orders/{id}");
/// assert_eq!(template.parameter("/orders/7", "id"), Some("7"));
/// assert!(Template::parse("/orders/{id}.json").is_err());
/// # Ok::<(), aforo_policy::TemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Template {
    text: String,
    segments: Vec<Segment>,
}

/// A segment of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Segment {
    /// This text, spelled as a path's folded form is (but for case); empty only as the last one,
    /// after a trailing slash.
    Literal(String),
    /// Any one segment that is not empty.
    One(String),
    /// All that is left, be it nothing.
    Rest(String),
}

impl Template {
    /// A template from its text.
    ///
    /// # Errors
    /// See [`TemplateError`]; it says what was expected.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let rest = text.strip_prefix('/').ok_or(TemplateError::NoSlash)?;
        let pieces: Vec<&str> = if rest.is_empty() {
            Vec::new()
        } else {
            rest.split('/').collect()
        };
        let last = pieces.len().saturating_sub(1);
        let mut segments: Vec<Segment> = Vec::with_capacity(pieces.len());
        for (place, piece) in pieces.into_iter().enumerate() {
            let segment = Segment::parse(piece, place == last)?;
            if let Some(name) = segment.name()
                && segments.iter().any(|before| before.name() == Some(name))
            {
                return Err(TemplateError::NameTwice(name.to_owned()));
            }
            segments.push(segment);
        }
        Ok(Self {
            text: text.to_owned(),
            segments,
        })
    }

    /// The text as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names of its parameters, from the left.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(Segment::name)
    }

    /// What the parameter `name` is in a path that this template matches (the matched form of a
    /// [`CanonicalPath`](crate::CanonicalPath), still percent-encoded); none when it is empty.
    pub fn parameter<'p>(&self, path: &'p str, name: &str) -> Option<&'p str> {
        let mut rest = path.strip_prefix('/')?;
        for segment in &self.segments {
            let (piece, after) = rest.split_once('/').unwrap_or((rest, ""));
            let value = match segment {
                Segment::Rest(_) => rest,
                Segment::One(_) | Segment::Literal(_) => piece,
            };
            if segment.name() == Some(name) {
                return (!value.is_empty()).then_some(value);
            }
            rest = after;
        }
        None
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Segment {
    fn parse(piece: &str, last: bool) -> Result<Self, TemplateError> {
        let Some(braced) = piece.strip_prefix('{').and_then(|p| p.strip_suffix('}')) else {
            return literal(piece, last).map(Self::Literal);
        };
        let (rest, name) = match braced.strip_prefix('*') {
            Some(name) => (true, name),
            None => (false, braced),
        };
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if name.is_empty() || !name.bytes().all(allowed) {
            return Err(TemplateError::Name(piece.to_owned()));
        }
        match (rest, last) {
            (false, _) => Ok(Self::One(name.to_owned())),
            (true, true) => Ok(Self::Rest(name.to_owned())),
            (true, false) => Err(TemplateError::RestNotLast(piece.to_owned())),
        }
    }

    fn name(&self) -> Option<&str> {
        match self {
            Self::Literal(_) => None,
            Self::One(name) | Self::Rest(name) => Some(name),
        }
    }
}

/// A literal segment in the spelling that paths are matched in.
fn literal(piece: &str, last: bool) -> Result<String, TemplateError> {
    if piece.is_empty() {
        return if last {
            Ok(String::new())
        } else {
            Err(TemplateError::EmptySegment)
        };
    }
    if piece.contains(['{', '}']) {
        return Err(TemplateError::PartialSegment(piece.to_owned()));
    }
    let canonical = rewrite(&format!("/{piece}"), true)
        .map_err(|_| TemplateError::Literal(piece.to_owned()))?;
    let segment = canonical.trim_matches('/');
    if segment.is_empty() || piece.contains(';') {
        return Err(TemplateError::Literal(piece.to_owned()));
    }
    Ok(fold_literal(segment, true))
}
