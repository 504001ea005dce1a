//! What is known of the server's types: from an SDL file with the directives of IBM's GraphQL
//! cost specification (draft of 2021), and from the policy file's weights.

mod abstracts;
mod sdl;
mod weights;

use std::collections::HashMap;

use bluejay_core::OperationType;

use super::weight::Weight;

pub use sdl::SdlError;
pub use weights::{Weights, WeightsError};

/// The types of a server. Without an SDL file there are none, and fields go by their shape.
#[derive(Debug, Default)]
pub(super) struct Schema {
    types: Vec<Type>,
    by_name: HashMap<Box<str>, TypeId>,
    roots: Roots<Option<TypeId>>,
    directives: HashMap<Box<str>, HashMap<Box<str>, Argument>>,
    /// The lists of sized fields that directives name, each once.
    sized: Vec<Vec<Box<str>>>,
    /// What the policy file says, for fields that the types do not have.
    weights: Weights,
}

/// A type's place among the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeId(usize);

/// One for each kind of operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Roots<T> {
    query: T,
    mutation: T,
    subscription: T,
}

#[derive(Debug)]
struct Type {
    weight: Weight,
    composite: bool,
    fields: HashMap<Box<str>, Field>,
    /// The input fields of an input object.
    inputs: HashMap<Box<str>, Argument>,
}

/// A field of an object or interface.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) returns: TypeId,
    pub(super) composite: bool,
    /// How many lists are in one another.
    pub(super) lists: u32,
    pub(super) weight: Weight,
    pub(super) arguments: HashMap<Box<str>, Argument>,
    /// Its `@listSize`; of an interface, those of the objects that implement it.
    pub(super) sizes: Vec<ListSize>,
}

/// An argument or an input field.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) weight: Weight,
    /// Its type, where that is an input object.
    pub(super) input: Option<TypeId>,
    /// What the schema takes where the query gives nothing, as the size of a list.
    pub(super) default_size: Option<u64>,
}

/// `@listSize`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListSize {
    pub(super) assumed: Option<u64>,
    /// Paths of arguments: `first`, or `filter.max`.
    pub(super) slicing: Vec<Vec<Box<str>>>,
    pub(super) require_one: bool,
    pub(super) sized: Sizing,
}

/// Whose lists have the size that a field says: its own, or those of some of its sub-fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sizing {
    /// Its own.
    #[default]
    Own,
    /// `edges` and `nodes`, as in connections by the convention.
    Connection,
    /// Those of the list of this number.
    Listed(usize),
}

impl<T> Roots<T> {
    pub(super) const fn get(&self, operation: OperationType) -> &T {
        match operation {
            OperationType::Query => &self.query,
            OperationType::Mutation => &self.mutation,
            OperationType::Subscription => &self.subscription,
        }
    }
}

impl Schema {
    /// No types, only weights.
    pub(super) fn untyped(weights: Weights) -> Self {
        Self {
            weights,
            ..Self::default()
        }
    }

    pub(super) const fn is_typed(&self) -> bool {
        !self.types.is_empty()
    }

    pub(super) const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The type of an operation's root.
    pub(super) const fn root(&self, operation: OperationType) -> Option<TypeId> {
        *self.roots.get(operation)
    }

    pub(super) fn type_named(&self, name: &str) -> Option<TypeId> {
        self.by_name.get(name).copied()
    }

    pub(super) fn field(&self, of: TypeId, name: &str) -> Option<&Field> {
        self.types.get(of.0)?.fields.get(name)
    }

    /// The input fields of an input object.
    pub(super) fn input(&self, of: TypeId, name: &str) -> Option<&Argument> {
        self.types.get(of.0)?.inputs.get(name)
    }

    /// What one object of a type adds to the type cost.
    pub(super) fn object_weight(&self, of: TypeId) -> Weight {
        self.types.get(of.0).map_or(Weight::ZERO, |one| one.weight)
    }

    pub(super) fn directive_argument(&self, directive: &str, name: &str) -> Option<&Argument> {
        self.directives.get(directive)?.get(name)
    }

    /// Whether the size that a field says is that of its sub-field `name`.
    pub(super) fn is_sized(&self, sized: Sizing, name: &str) -> bool {
        match sized {
            Sizing::Own => false,
            Sizing::Connection => matches!(name, "edges" | "nodes"),
            Sizing::Listed(at) => {
                let names = self.sized.get(at);
                names.is_some_and(|names| names.iter().any(|one| **one == *name))
            }
        }
    }
}
