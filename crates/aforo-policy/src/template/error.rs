//! Why a text is not a path template.

use thiserror::Error;

/// Why a text is not a path template.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// It does not begin with `/`.
    #[error("a path begins with '/'")]
    NoSlash,
    /// Two slashes in a row: no canonical path has them.
    #[error("a path has no empty segment: '//' is matched as '/'")]
    EmptySegment,
    /// A parameter beside other text in one segment.
    #[error("'{0}' mixes text and braces: a parameter is a whole segment, as in '/files/{{name}}'")]
    PartialSegment(String),
    /// A parameter without a proper name.
    #[error(
        "'{0}' is not a parameter: expected '{{name}}' or '{{*name}}' of letters, digits, '_' and '-'"
    )]
    Name(String),
    /// Two parameters of one name.
    #[error("the parameter '{0}' is there twice: give each its own name")]
    NameTwice(String),
    /// `{*name}` before the end.
    #[error("'{0}' matches all that is left of a path: it can only be the last segment")]
    RestNotLast(String),
    /// Text that no canonical path holds: dot segments, `;` parameters, `?`, `#`, spaces, a
    /// broken percent-encoding.
    #[error(
        "'{0}' matches no path: expected the text as it stands in a path without dot segments, ';', '?' and '#'"
    )]
    Literal(String),
}
