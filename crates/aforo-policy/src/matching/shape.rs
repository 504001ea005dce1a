//! What a template matches, its parameters' names forgotten.

use crate::path::fold_literal;
use crate::template::Segment;
use crate::{Paths, Template, TrailingSlash};

/// One segment of a template as it is compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// This text.
    Literal(Box<str>),
    /// Any one segment that is not empty.
    One,
    /// All that is left.
    Rest,
}

/// A template's segments, folded as `[paths]` says.
pub(super) fn shape(template: &Template, paths: &Paths) -> Vec<Shape> {
    let folded = |segment: &Segment| match segment {
        Segment::Literal(text) if paths.case_sensitive => Shape::Literal(text.as_str().into()),
        Segment::Literal(text) => Shape::Literal(fold_literal(text, false).into()),
        Segment::One(_) => Shape::One,
        Segment::Rest(_) => Shape::Rest,
    };
    let mut shape: Vec<Shape> = template.segments().iter().map(folded).collect();
    let open = matches!(shape.last(), Some(Shape::Literal(text)) if text.is_empty());
    if open && paths.trailing_slash == TrailingSlash::Ignore {
        shape.pop();
    }
    shape
}
