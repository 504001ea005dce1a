//! What a field's arguments say: how many it returns, and what they weigh.

use bluejay_core::executable::Field as _;
use bluejay_core::{AsIter, Directive as _};
use bluejay_parser::ast::VariableArgument;
use bluejay_parser::ast::executable::Field;

use super::{Kind, Walk};
use crate::graphql::fault::Fault;
use crate::graphql::schema::{self, ListSize};
use crate::graphql::values::Given;
use crate::graphql::weight::Weight;

impl<'w> Walk<'w> {
    /// The size that a field says: by its `@listSize`, else by an argument that is usual for it.
    pub(super) fn said_size(
        &self,
        field: &'w Field<'w>,
        known: Option<&schema::Field>,
    ) -> Result<Option<u64>, Fault> {
        let directives = known.map_or([].as_slice(), |known| &known.sizes);
        let mut most = None;
        for (directive, known) in directives.iter().zip(known.into_iter().cycle()) {
            most = most.max(self.directed_size(field, known, directive)?);
        }
        if !directives.is_empty() {
            return Ok(most);
        }
        let may_default = known.is_some_and(|known| !known.arguments.is_empty());
        if field.arguments().is_none() && !may_default {
            return Ok(None);
        }
        let usual = self.gauge.list_arguments.iter();
        let sizes = usual.filter_map(|name| self.argument_size(field, known, name, &[]));
        Ok(sizes.max())
    }

    /// The size by a `@listSize`: the greatest slicing argument, else the assumed size.
    fn directed_size(
        &self,
        field: &'w Field<'w>,
        known: &schema::Field,
        directive: &ListSize,
    ) -> Result<Option<u64>, Fault> {
        let paths = directive.slicing.iter();
        let sizes = paths.filter_map(|path| {
            let (name, rest) = path.split_first()?;
            self.argument_size(field, Some(known), name, rest)
        });
        let size = sizes.max().or(directive.assumed);
        if size.is_none() && directive.require_one && !directive.slicing.is_empty() {
            let names: Vec<String> = directive
                .slicing
                .iter()
                .map(|path| path.join("."))
                .collect();
            return Err(Fault::SizeMissing {
                field: field.name().as_str().to_owned(),
                arguments: names.join(", "),
            });
        }
        Ok(size)
    }

    /// The size that an argument says, or a member of it; the schema's default where it says none.
    fn argument_size(
        &self,
        field: &'w Field<'w>,
        known: Option<&schema::Field>,
        name: &str,
        members: &[Box<str>],
    ) -> Option<u64> {
        let mut arguments = arguments(field);
        let written = arguments.find(|one| one.name().as_str() == name);
        let value = written.map_or(Given::Nothing, |one| self.variables.of(one.value()));
        let members = || members.iter().map(AsRef::as_ref);
        let value = members().fold(value, |value, name| self.variables.member(value, name));
        let default = || {
            let mut argument = known?.arguments.get(name)?;
            for name in members() {
                argument = self.gauge.schema.input(argument.input?, name)?;
            }
            argument.default_size
        };
        if value.is_nothing() {
            return default();
        }
        value.size()
    }

    /// What a field weighs with its arguments and directives, in thousandths, never below nothing.
    pub(super) fn weight(
        &self,
        field: &'w Field<'w>,
        known: Option<&schema::Field>,
        kind: Kind,
        composite: bool,
    ) -> u64 {
        let Some(known) = known else {
            return self.untyped_weight(field.name().as_str(), kind, composite);
        };
        let mut weight = known.weight;
        for argument in arguments(field) {
            if let Some(of) = known.arguments.get(argument.name().as_str()) {
                weight = weight.plus(self.argument_weight(of, argument));
            }
        }
        weight = weight.plus(self.directives_weight(field));
        weight.thousandths()
    }

    fn directives_weight(&self, field: &'w Field<'w>) -> Weight {
        let mut weight = Weight::ZERO;
        let Some(directives) = field.directives() else {
            return weight;
        };
        for directive in directives.iter() {
            let Some(arguments) = directive.arguments() else {
                continue;
            };
            for argument in arguments.iter() {
                let (name, schema) = (argument.name().as_str(), &self.gauge.schema);
                let of = schema.directive_argument(directive.name().as_str(), name);
                if let Some(of) = of {
                    weight = weight.plus(self.argument_weight(of, argument));
                }
            }
        }
        weight
    }

    /// An argument that is given, with the input fields that are used in it.
    fn argument_weight(&self, of: &schema::Argument, argument: &'w VariableArgument<'w>) -> Weight {
        let value = self.variables.of(argument.value());
        self.value_weight(of, value, 0)
    }

    fn value_weight(&self, of: &schema::Argument, value: Given<'w>, level: u32) -> Weight {
        if value.is_nothing() || level >= super::MOST_LEVELS {
            return Weight::ZERO;
        }
        let mut weight = of.weight;
        let Some(input) = of.input else {
            return weight;
        };
        self.variables.items(value, |item| {
            self.variables.members(item, |name, member| {
                if let Some(of) = self.gauge.schema.input(input, name) {
                    let below = self.value_weight(of, member, level.saturating_add(1));
                    weight = weight.plus(below);
                }
            });
        });
        weight
    }

    /// The weight of a field whose type is not known: what the policy file says, else 1 for one
    /// that has fields and for a root's, else nothing.
    fn untyped_weight(&self, name: &str, kind: Kind, composite: bool) -> u64 {
        let root = match kind {
            Kind::Root(operation) => Some(operation),
            Kind::Object | Kind::Schema => None,
        };
        let set = self.gauge.schema.weights().untyped(root, name);
        let is_heavy = composite || root.is_some() && !name.starts_with("__");
        let default = if is_heavy { Weight::ONE } else { Weight::ZERO };
        set.unwrap_or(default).thousandths()
    }
}

fn arguments<'w>(field: &'w Field<'w>) -> impl Iterator<Item = &'w VariableArgument<'w>> {
    field
        .arguments()
        .map(|all| all.iter())
        .into_iter()
        .flatten()
}
