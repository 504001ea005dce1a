//! Templates as a tree of segments.
//!
//! A request visits each node at most once, so the work is bounded by the path's length and by
//! what the operator wrote, whatever a caller sends. Nothing is allocated.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use http::Method;

use super::shape::{Shape, shape};
use crate::{Methods, Paths, Template};

/// Templates with their methods and owners (a route's or a group's place in the file).
#[derive(Debug, Default)]
pub(crate) struct Table {
    root: Node,
}

/// One match of the file.
#[derive(Debug)]
pub(crate) struct Entry {
    methods: Methods,
    pub(crate) template: Template,
    pub(crate) owner: usize,
}

#[derive(Debug, Default)]
struct Node {
    literals: BTreeMap<Box<str>, Node>,
    one: Option<Box<Node>>,
    /// Matches that end here; those with methods come first.
    end: Vec<Entry>,
    /// Matches that take all that is left.
    rest: Vec<Entry>,
}

impl Table {
    /// A table of matches, each with its owner.
    pub(crate) fn new<'m>(
        matches: impl Iterator<Item = (usize, &'m (Methods, Template))>,
        paths: &Paths,
    ) -> Self {
        let mut root = Node::default();
        for (owner, (methods, template)) in matches {
            let entry = Entry {
                methods: methods.clone(),
                template: template.clone(),
                owner,
            };
            root.insert(&shape(template, paths), entry);
        }
        Self { root }
    }

    /// The most specific match of a request, by its path's folded form.
    pub(crate) fn most_specific(&self, path: &str, method: &Method) -> Option<&Entry> {
        let first = &mut |entry| ControlFlow::Break(entry);
        self.visit(path, method, first).break_value()
    }

    /// Shows every match of a request, the most specific first.
    pub(crate) fn visit<'t, B>(
        &'t self,
        path: &str,
        method: &Method,
        show: &mut impl FnMut(&'t Entry) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let show = &mut |entry: &'t Entry| {
            if entry.methods.take(method) {
                show(entry)
            } else {
                ControlFlow::Continue(())
            }
        };
        match path.strip_prefix('/') {
            Some("") => self.root.visit(None, show),
            Some(rest) => self.root.visit(Some(rest), show),
            // `OPTIONS *` belongs to what takes everything.
            None => self.root.rest.iter().try_for_each(show),
        }
    }
}

impl Node {
    fn insert(&mut self, shape: &[Shape], entry: Entry) {
        match shape.split_first() {
            None => place(&mut self.end, entry),
            Some((Shape::Rest, _)) => place(&mut self.rest, entry),
            Some((Shape::One, after)) => self.one.get_or_insert_default().insert(after, entry),
            Some((Shape::Literal(text), after)) => {
                let child = self.literals.entry(text.clone()).or_default();
                child.insert(after, entry);
            }
        }
    }

    /// `rest` is what is left of the path; none when it has ended.
    fn visit<'t, B>(
        &'t self,
        rest: Option<&str>,
        show: &mut impl FnMut(&'t Entry) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if let Some(rest) = rest {
            let (piece, after) = first_segment(rest);
            if let Some(node) = self.literals.get(piece) {
                node.visit(after, show)?;
            }
            if let Some(one) = self.one.as_ref().filter(|_| !piece.is_empty()) {
                one.visit(after, show)?;
            }
        } else {
            self.end.iter().try_for_each(&mut *show)?;
        }
        self.rest.iter().try_for_each(show)
    }
}

/// The first segment, and what follows the slash after it. Segments are short, so a plain look at
/// each byte finds the slash sooner than a search made for long texts.
fn first_segment(rest: &str) -> (&str, Option<&str>) {
    let slash = rest.bytes().position(|byte| byte == b'/');
    match slash.and_then(|slash| rest.split_at_checked(slash)) {
        Some((piece, after)) => (piece, after.strip_prefix('/')),
        None => (rest, None),
    }
}

/// Puts matches with methods before those without.
fn place(entries: &mut Vec<Entry>, entry: Entry) {
    let at = match entry.methods {
        Methods::Any => entries.len(),
        Methods::Only(_) => entries.partition_point(|held| held.methods != Methods::Any),
    };
    entries.insert(at, entry);
}
