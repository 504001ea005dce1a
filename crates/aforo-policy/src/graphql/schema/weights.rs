//! The weights that the policy file gives.

use std::collections::HashMap;

use bluejay_core::OperationType;
use thiserror::Error;

use super::Schema;
use crate::graphql::weight::Weight;

/// The weights that the policy file gives: by `Type.field`, by a field's name alone, by a type's
/// name, and `*` for all fields that have none.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    every: Option<Weight>,
    named: HashMap<Box<str>, Weight>,
    of_types: HashMap<Box<str>, HashMap<Box<str>, Weight>>,
}

/// A weight that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// Not a number from 0 to a million.
    #[error("a weight is a number from 0 to 1000000")]
    NotAWeight,
    /// A type of a file without `sdl`.
    #[error(
        "without `sdl`, fields are known by Query, Mutation, Subscription, or their name alone"
    )]
    Untyped,
    /// A type or field that the SDL does not have.
    #[error("the schema of `sdl` has no `{0}`")]
    Unknown(String),
}

impl Weights {
    /// Adds the weight of `name`.
    ///
    /// # Errors
    /// A weight that is negative or too large.
    pub fn insert(&mut self, name: &str, units: f64) -> Result<(), WeightsError> {
        let weight = Weight::of(units).map_err(|_| WeightsError::NotAWeight)?;
        if weight < Weight::ZERO {
            return Err(WeightsError::NotAWeight);
        }
        match name.split_once('.') {
            Some((of, field)) => {
                let fields = self.of_types.entry(of.into()).or_default();
                fields.insert(field.into(), weight);
            }
            None if name == "*" => self.every = Some(weight),
            None => {
                self.named.insert(name.into(), weight);
            }
        }
        Ok(())
    }

    /// The weight of a field of a type that is not known.
    pub(in crate::graphql) fn untyped(
        &self,
        root: Option<OperationType>,
        field: &str,
    ) -> Option<Weight> {
        let of_root = root.and_then(|root| self.typed(root_name(root), field));
        of_root
            .or_else(|| self.named.get(field).copied())
            .or(self.every)
    }

    pub(super) fn typed(&self, of: &str, field: &str) -> Option<Weight> {
        self.of_types.get(of)?.get(field).copied()
    }

    pub(super) fn named(&self, name: &str) -> Option<Weight> {
        self.named.get(name).copied()
    }

    pub(super) const fn every(&self) -> Option<Weight> {
        self.every
    }
}

const fn root_name(operation: OperationType) -> &'static str {
    match operation {
        OperationType::Query => "Query",
        OperationType::Mutation => "Mutation",
        OperationType::Subscription => "Subscription",
    }
}

impl Schema {
    /// Whether a weight's name is of something: of a field or type of the SDL, or, without one, of
    /// a root's field or a field by its name alone.
    pub(in crate::graphql) fn check_weight(&self, name: &str) -> Result<(), WeightsError> {
        let unknown = || WeightsError::Unknown(name.to_owned());
        let named = name.split_once('.');
        if self.types.is_empty() {
            return match named {
                Some(("Query" | "Mutation" | "Subscription", _)) | None => Ok(()),
                Some(_) => Err(WeightsError::Untyped),
            };
        }
        let known = match named {
            Some((of, field)) => self
                .type_named(of)
                .is_some_and(|of| self.field(of, field).is_some()),
            None => {
                name == "*"
                    || self.by_name.contains_key(name)
                    || self.types.iter().any(|one| one.fields.contains_key(name))
            }
        };
        known.then_some(()).ok_or_else(unknown)
    }
}
