//! The fragments of a document, and what is known of them.

use std::collections::HashMap;

use bluejay_parser::ast::executable::{ExecutableDocument, SelectionSet};

use super::{Kind, Part};
use crate::graphql::fault::Fault;
use crate::graphql::schema::Sizing;

/// The fragments of a document by name.
#[derive(Debug, Default)]
pub(in crate::graphql) struct Fragments<'d>(HashMap<&'d str, (usize, Fragment<'d>)>);

#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment<'d> {
    pub(super) condition: &'d str,
    pub(super) set: &'d SelectionSet<'d>,
}

impl<'d> Fragments<'d> {
    /// The fragments of a document. Of two of one name, the server may take either.
    pub(in crate::graphql) fn of(document: &'d ExecutableDocument<'d>) -> Result<Self, Fault> {
        let mut all = HashMap::new();
        for (at, one) in document.fragment_definitions().iter().enumerate() {
            let fragment = Fragment {
                condition: bluejay_core::executable::FragmentDefinition::type_condition(one),
                set: one.selection_set(),
            };
            if all.insert(one.name().as_str(), (at, fragment)).is_some() {
                return Err(Fault::NoFragment {
                    fragment: one.name().as_str().to_owned(),
                });
            }
        }
        Ok(Self(all))
    }

    pub(super) fn get(&self, name: &str) -> Option<(usize, Fragment<'d>)> {
        self.0.get(name).copied()
    }
}

/// What is known of a fragment as it is used in one way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Progress {
    /// It is being looked at: who finds it there has found a circle.
    Begun,
    Known(Part),
}

/// What is known of fragments: by which one, on what kind of object, and whose lists have the size
/// that is said above.
#[derive(Debug, Default)]
pub(super) struct Memo(HashMap<usize, Vec<(Kind, Sizing, Progress)>>);

impl Memo {
    pub(super) fn progress(&self, at: usize, kind: Kind, sized: Sizing) -> Option<Progress> {
        let mut known = self.0.get(&at)?.iter();
        let found = known.find(|one| one.0 == kind && one.1 == sized)?;
        Some(found.2)
    }

    pub(super) fn set(&mut self, at: usize, kind: Kind, sized: Sizing, progress: Progress) {
        let known = self.0.entry(at).or_default();
        match known.iter_mut().find(|one| one.0 == kind && one.1 == sized) {
            Some(one) => one.2 = progress,
            None => known.push((kind, sized, progress)),
        }
    }
}
