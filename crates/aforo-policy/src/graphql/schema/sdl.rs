//! Types from an SDL file.

use std::collections::{BTreeSet, HashMap};

use bluejay_core::definition::{
    SchemaDefinition as _, TypeDefinitionReference as Definition, prelude::*,
};
use bluejay_core::{AsIter, Directive as _, OperationType, Value as _, ValueReference};
use bluejay_parser::ast::definition::{
    ArgumentsDefinition, DefaultContext, DefinitionDocument, Directives, FieldDefinition,
    InputValueDefinition, OutputType, SchemaDefinition,
};
use bluejay_parser::ast::{ConstValue, Parse, Value};
use thiserror::Error;

use super::{Argument, Field, ListSize, Roots, Schema, Sizing, Type, TypeId, Weights};
use crate::graphql::values::Given;
use crate::graphql::weight::{NotAWeight, Weight};

type Document<'a> = DefinitionDocument<'a, DefaultContext>;
type Read<'a> = SchemaDefinition<'a, DefaultContext>;

/// An SDL file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct SdlError {
    /// What is wrong.
    pub message: String,
    /// The line, from 1; 0 where there is none.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

impl Schema {
    /// Reads an SDL file. Directives that it uses but does not define are taken as they stand.
    pub(in crate::graphql) fn read(sdl: &str, weights: Weights) -> Result<Self, SdlError> {
        let mut text = sdl.to_owned();
        for name in missing_directives(sdl) {
            text.push_str("\ndirective @");
            text.push_str(name);
            text.push_str(" on OBJECT");
        }
        let document = Document::parse(&text)
            .result
            .map_err(|errors| told(&text, errors))?;
        let definition = Read::try_from(&document).map_err(|errors| told(&text, errors))?;
        Reader {
            definition: &definition,
            schema: Self::untyped(weights),
        }
        .read()
    }
}

/// The first of the errors.
fn told<E: Into<bluejay_parser::Error>>(text: &str, errors: Vec<E>) -> SdlError {
    let errors = bluejay_parser::Error::into_graphql_errors(text, errors);
    let first = errors.into_iter().next();
    let (message, place) = first.map_or(("not an SDL document".into(), None), |error| {
        (error.message, error.locations.into_iter().next())
    });
    SdlError {
        message: message.into_owned(),
        line: place.as_ref().map_or(0, |place| place.line),
        column: place.as_ref().map_or(0, |place| place.col),
    }
}

/// The directives that a text uses and does not define; too many are no harm.
fn missing_directives(sdl: &str) -> Vec<&str> {
    let mut used = BTreeSet::new();
    let mut defined = BTreeSet::new();
    let mut before = "";
    for piece in sdl.split('@') {
        let name = piece
            .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .next()
            .unwrap_or_default();
        let defines = before.trim_end().ends_with("directive");
        if !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()) {
            if defines {
                defined.insert(name);
            } else if !before.is_empty() {
                used.insert(name);
            }
        }
        before = piece;
    }
    used.difference(&defined).copied().collect()
}

struct Reader<'a> {
    definition: &'a Read<'a>,
    schema: Schema,
}

impl<'a> Reader<'a> {
    fn read(mut self) -> Result<Schema, SdlError> {
        let all: Vec<Definition<'a, Read<'a>>> = self.definition.type_definitions().collect();
        for one in &all {
            let id = TypeId(self.schema.types.len());
            self.schema.by_name.insert(one.name().into(), id);
            let weight = self.type_weight(one)?;
            self.schema.types.push(Type {
                weight,
                composite: one.is_composite(),
                fields: HashMap::new(),
                inputs: HashMap::new(),
            });
        }
        self.schema.roots = self.roots();
        for one in &all {
            self.fill(one)?;
        }
        for one in &all {
            self.rise(one);
        }
        self.directives()?;
        Ok(self.schema)
    }

    fn roots(&self) -> Roots<Option<TypeId>> {
        let id = |name: &str| self.schema.type_named(name);
        Roots {
            query: id(self.definition.query().name()),
            mutation: self.definition.mutation().and_then(|one| id(one.name())),
            subscription: self
                .definition
                .subscription()
                .and_then(|one| id(one.name())),
        }
    }

    /// What one object of a type counts: the file's weight, else `@cost`, else 1 for what has
    /// fields and 0 for scalars and enums.
    fn type_weight(&self, one: &Definition<'a, Read<'a>>) -> Result<Weight, SdlError> {
        if let Some(weight) = self.schema.weights.named(one.name()) {
            return Ok(weight);
        }
        let default = if one.is_composite() || matches!(one, Definition::InputObject(_)) {
            Weight::ONE
        } else {
            Weight::ZERO
        };
        cost(one.directives(), default)
    }

    fn fill(&mut self, one: &Definition<'a, Read<'a>>) -> Result<(), SdlError> {
        let Some(id) = self.schema.type_named(one.name()) else {
            return Ok(());
        };
        if let Some(fields) = one.fields_definition() {
            for field in fields.iter().filter(|field| !field.is_builtin()) {
                let read = self.field(one.name(), id, field)?;
                if let Some(into) = self.schema.types.get_mut(id.0) {
                    into.fields.insert(field.name().into(), read);
                }
            }
        }
        if let Definition::InputObject(input) = one {
            for field in input.input_field_definitions().iter() {
                let read = self.argument(field)?;
                if let Some(into) = self.schema.types.get_mut(id.0) {
                    into.inputs.insert(field.name().into(), read);
                }
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        of: &str,
        id: TypeId,
        field: &'a FieldDefinition<'a, DefaultContext>,
    ) -> Result<Field, SdlError> {
        let (returns, lists) = base(field.r#type());
        let returns = self.schema.type_named(returns).unwrap_or(id);
        let composite = self.composite(returns);
        let arguments = self.arguments(field.arguments_definition())?;
        let is_root = [
            OperationType::Query,
            OperationType::Mutation,
            OperationType::Subscription,
        ]
        .into_iter()
        .any(|operation| self.schema.root(operation) == Some(id));
        let weights = &self.schema.weights;
        let set = weights
            .typed(of, field.name())
            .or_else(|| weights.named(field.name()));
        let default = weights.every().unwrap_or(if composite || is_root {
            Weight::ONE
        } else {
            Weight::ZERO
        });
        Ok(Field {
            returns,
            composite,
            lists,
            weight: set.map_or_else(|| cost(field.directives(), default), Ok)?,
            arguments,
            sizes: self.list_size(field.directives())?.into_iter().collect(),
        })
    }

    fn composite(&self, id: TypeId) -> bool {
        self.schema.types.get(id.0).is_some_and(|one| one.composite)
    }

    fn arguments(
        &self,
        definitions: Option<&'a ArgumentsDefinition<'a, DefaultContext>>,
    ) -> Result<HashMap<Box<str>, Argument>, SdlError> {
        let mut arguments = HashMap::new();
        let Some(definitions) = definitions else {
            return Ok(arguments);
        };
        for one in definitions.iter() {
            arguments.insert(one.name().into(), self.argument(one)?);
        }
        Ok(arguments)
    }

    fn argument(
        &self,
        one: &'a InputValueDefinition<'a, DefaultContext>,
    ) -> Result<Argument, SdlError> {
        let name = one.r#type().base(self.definition).name();
        let is_input = matches!(
            self.definition.get_type_definition(name),
            Some(Definition::InputObject(_))
        );
        let input = self.schema.type_named(name).filter(|_| is_input);
        let default = if is_input { Weight::ONE } else { Weight::ZERO };
        let size = one.default_value().map(Given::Constant);
        Ok(Argument {
            weight: cost(one.directives(), default)?,
            input,
            default_size: size.and_then(Given::size),
        })
    }

    /// `@listSize`.
    fn list_size(
        &mut self,
        directives: Option<&'a Directives<'a, DefaultContext>>,
    ) -> Result<Option<ListSize>, SdlError> {
        let mut all = directives.map(|all| all.iter()).into_iter().flatten();
        let Some(directive) = all.find(|one| one.name() == "listSize") else {
            return Ok(None);
        };
        let mut size = ListSize {
            assumed: None,
            slicing: Vec::new(),
            require_one: true,
            sized: Sizing::Own,
        };
        for argument in directive
            .arguments()
            .map(|all| all.iter())
            .into_iter()
            .flatten()
        {
            let value = argument.value();
            match argument.name().as_str() {
                "assumedSize" => size.assumed = Given::Constant(value).size(),
                "slicingArguments" => {
                    let paths = texts(value).into_iter();
                    size.slicing = paths
                        .map(|path| path.split('.').map(Into::into).collect())
                        .collect();
                }
                "sizedFields" => size.sized = self.sized(texts(value)),
                "requireOneSlicingArgument" => {
                    size.require_one = !is_false(value);
                }
                other => return Err(wrong(format!("@listSize has no argument {other}"))),
            }
        }
        Ok(Some(size))
    }

    /// The number of a list of sized fields.
    fn sized(&mut self, names: Vec<&str>) -> Sizing {
        let mut names: Vec<Box<str>> = names.into_iter().map(Into::into).collect();
        names.sort();
        if names.is_empty() {
            return Sizing::Own;
        }
        let known = self.schema.sized.iter().position(|one| *one == names);
        Sizing::Listed(known.unwrap_or_else(|| {
            self.schema.sized.push(names);
            self.schema.sized.len().saturating_sub(1)
        }))
    }

    fn rise(&mut self, one: &Definition<'a, Read<'a>>) {
        let names: Vec<&str> = match one {
            Definition::Interface(interface) => {
                let objects = self.definition.get_interface_implementors(interface);
                objects.map(|one| one.name()).collect()
            }
            Definition::Union(union) => {
                let members = union.union_member_types().iter();
                members.map(|one| one.name()).collect()
            }
            _ => return,
        };
        let objects: Vec<TypeId> = names
            .into_iter()
            .filter_map(|name| self.schema.type_named(name))
            .collect();
        if let Some(id) = self.schema.type_named(one.name()) {
            self.schema.rise(id, &objects);
        }
    }

    fn directives(&mut self) -> Result<(), SdlError> {
        for one in self.definition.directive_definitions() {
            let arguments = self.arguments(one.arguments_definition())?;
            self.schema.directives.insert(one.name().into(), arguments);
        }
        Ok(())
    }
}

/// The name of a type, and in how many lists it is.
fn base<'a>(of: &'a OutputType<'a, DefaultContext>) -> (&'a str, u32) {
    let mut lists = 0_u32;
    let mut shallow = of.as_shallow_ref();
    loop {
        match shallow {
            bluejay_core::definition::ShallowOutputTypeReference::Base(name, _) => {
                return (name, lists);
            }
            bluejay_core::definition::ShallowOutputTypeReference::List(inner, _) => {
                lists = lists.saturating_add(1);
                shallow = inner.as_shallow_ref();
            }
        }
    }
}

/// The weight of `@cost`.
fn cost(
    directives: Option<&Directives<'_, DefaultContext>>,
    default: Weight,
) -> Result<Weight, SdlError> {
    let mut all = directives.map(|all| all.iter()).into_iter().flatten();
    let Some(directive) = all.find(|one| one.name() == "cost") else {
        return Ok(default);
    };
    let mut arguments = directive
        .arguments()
        .map(|all| all.iter())
        .into_iter()
        .flatten();
    let weight = arguments.find(|one| one.name() == "weight");
    let text = weight.map(|weight| match weight.value() {
        Value::String(text) => Weight::parse(text.as_ref()),
        Value::Integer(number) => Weight::parse(number.as_ref()),
        value => match value.as_ref() {
            ValueReference::Float(number) => Weight::of(number),
            _ => Err(NotAWeight),
        },
    });
    match text {
        Some(Ok(weight)) => Ok(weight),
        _ => Err(wrong(
            "@cost needs a weight such as \"2.0\", at most 1000000",
        )),
    }
}

fn wrong(message: impl Into<String>) -> SdlError {
    SdlError {
        message: message.into(),
        line: 0,
        column: 0,
    }
}

fn is_false(value: &ConstValue<'_>) -> bool {
    matches!(value.as_ref(), ValueReference::Boolean(false))
}

/// The strings of a list, or the one string.
fn texts<'v>(value: &'v ConstValue<'_>) -> Vec<&'v str> {
    match value {
        Value::List(list) => list.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.as_ref()],
        _ => Vec::new(),
    }
}
