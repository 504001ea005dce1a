//! The one spelling of a path that is matched, counted and forwarded.

mod byte;
mod fold;
mod plain;
mod rewrite;
mod scan;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use thiserror::Error;

use crate::{EncodedSlash, Paths};

pub(crate) use byte::hex_pair;
pub(crate) use fold::fold_literal;
pub(crate) use rewrite::rewrite;

/// A canonical path: unreserved characters decoded, no duplicate slashes, no dot segments, no
/// `;` parameters (RFC 3986, sections 2.3, 5.2.4 and 6.2.2, made stricter).
///
/// ```
/// use aforo_policy::{CanonicalPath, Paths};
/// let path = CanonicalPath::new("/x/..//%61pi;v=1/./login", &Paths::default())?;
/// assert_eq!(path.forwarded(), "/api/login");
/// # Ok::<(), aforo_policy::PathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalPath<'a> {
    forwarded: Cow<'a, str>,
    /// What is matched, where that differs.
    matched: Option<String>,
}

/// A path that is refused with 400.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PathError {
    /// `%2f`, `%5c`, `%00` or `\` in a path.
    #[error("the path holds an encoded slash, a backslash or an encoded NUL")]
    EncodedSlash,
    /// Not a path: an incomplete percent-encoding, a control character, a space, `?` or `#`.
    #[error("the path is malformed")]
    Malformed,
}

impl<'a> CanonicalPath<'a> {
    /// The canonical form of a raw path (without query). Allocates nothing when the path is
    /// canonical already.
    ///
    /// An empty path is `/`; of an absolute target (`http://host/path`) the path counts; `*` (of
    /// `OPTIONS *`) stays as it is. Bytes that a path may not hold are percent-encoded.
    ///
    /// # Errors
    /// See [`PathError`]; the answer is 400.
    pub fn new(raw: &'a str, paths: &Paths) -> Result<Self, PathError> {
        if plain::is_plain(raw) {
            return Ok(Self {
                matched: fold::fold_plain(raw, paths),
                forwarded: Cow::Borrowed(raw),
            });
        }
        let path = without_origin(raw);
        let keep = paths.encoded_slash == EncodedSlash::Keep;
        let forwarded = match path {
            "*" => Cow::Borrowed(path),
            "" => Cow::Borrowed("/"),
            _ if scan::is_canonical(path, keep) => Cow::Borrowed(path),
            _ => Cow::Owned(rewrite(path, keep)?),
        };
        let matched = fold::fold(&forwarded, paths);
        Ok(Self { forwarded, matched })
    }

    /// What is forwarded.
    pub fn forwarded(&self) -> &str {
        &self.forwarded
    }

    /// What is matched: case and trailing slash folded as `[paths]` says, and the characters
    /// that need no encoding within a segment (`@`, `:`, `!`, …) decoded, since servers read
    /// both spellings alike.
    pub fn matched(&self) -> &str {
        self.matched.as_deref().unwrap_or(&self.forwarded)
    }
}

/// The target without `http://host`.
fn without_origin(raw: &str) -> &str {
    if raw.starts_with('/') {
        return raw;
    }
    let Some((scheme, rest)) = raw.split_once("://") else {
        return raw;
    };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return raw;
    }
    rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("")
}
