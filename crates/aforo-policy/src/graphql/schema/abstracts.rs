//! Interfaces and unions: as heavy as the heaviest of the objects that they may be.

use std::collections::HashMap;

use super::{Argument, Field, Schema, TypeId};
use crate::graphql::weight::Weight;

impl Schema {
    /// Gives an interface or union what the objects behind it have. Neither `@cost` of a field nor
    /// of a type can stand on an abstract type itself.
    pub(super) fn rise(&mut self, of: TypeId, objects: &[TypeId]) {
        let weight = objects.iter().map(|one| self.object_weight(*one)).max();
        let mut risen = self.fields_of(of);
        for (name, field) in &mut risen {
            for object in objects {
                if let Some(behind) = self.field(*object, name) {
                    field.rise(behind);
                }
            }
        }
        if let Some(one) = self.types.get_mut(of.0) {
            one.weight = weight.unwrap_or(Weight::ONE);
            one.fields = risen;
        }
    }

    fn fields_of(&self, of: TypeId) -> HashMap<Box<str>, Field> {
        let one = self.types.get(of.0);
        one.map(|one| one.fields.clone()).unwrap_or_default()
    }
}

impl Field {
    /// Takes the greater of its own and another's weights, and the other's sizes unless it has
    /// some itself.
    fn rise(&mut self, behind: &Self) {
        self.weight = self.weight.max(behind.weight);
        for (name, argument) in &behind.arguments {
            let own = self.arguments.entry(name.clone());
            let own = own.or_insert_with(|| argument.clone());
            own.rise(argument);
        }
        for size in &behind.sizes {
            if !self.sizes.contains(size) {
                self.sizes.push(size.clone());
            }
        }
    }
}

impl Argument {
    fn rise(&mut self, behind: &Self) {
        self.weight = self.weight.max(behind.weight);
        self.default_size = self.default_size.max(behind.default_size);
    }
}
