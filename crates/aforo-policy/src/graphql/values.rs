//! The values of arguments: in the query, in its variables, or by default.

use std::collections::HashMap;

use bluejay_core::{AsIter, IntegerValue, Value as _, ValueReference};
use bluejay_parser::ast::executable::VariableDefinitions;
use bluejay_parser::ast::{ConstValue, Value, VariableValue};
use serde_json::Value as Json;

/// The value of an argument, wherever it stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given<'v> {
    /// Nothing or null.
    Nothing,
    /// In the query.
    Query(&'v VariableValue<'v>),
    /// A default of the query or the schema.
    Constant(&'v ConstValue<'v>),
    /// In the variables.
    Json(&'v Json),
}

/// The variables of an operation.
#[derive(Debug, Default)]
pub(super) struct Variables<'v> {
    given: Option<&'v serde_json::Map<String, Json>>,
    defaults: HashMap<&'v str, &'v ConstValue<'v>>,
}

impl<'v> Variables<'v> {
    /// What the request gives, and what the operation has for those that it does not give.
    pub(super) fn new(
        given: Option<&'v serde_json::Map<String, Json>>,
        definitions: Option<&'v VariableDefinitions<'v>>,
    ) -> Self {
        let mut defaults = HashMap::new();
        for one in definitions.map(|all| all.iter()).into_iter().flatten() {
            if let Some(value) = one.default_value() {
                defaults.insert(one.variable().as_str(), value);
            }
        }
        Self { given, defaults }
    }

    fn get(&self, name: &str) -> Given<'v> {
        match (
            self.given.and_then(|given| given.get(name)),
            self.defaults.get(name),
        ) {
            (Some(Json::Null), _) => Given::Nothing,
            (Some(value), _) => Given::Json(value),
            (None, Some(value)) => Given::Constant(value),
            (None, None) => Given::Nothing,
        }
    }

    /// The value itself where a variable stands for it.
    pub(super) fn of(&self, value: &'v VariableValue<'v>) -> Given<'v> {
        match value {
            Value::Variable(variable) => self.get(variable.name()),
            Value::Null(_) => Given::Nothing,
            value => Given::Query(value),
        }
    }

    /// A member of an object.
    pub(super) fn member(&self, of: Given<'v>, name: &str) -> Given<'v> {
        let mut found = Given::Nothing;
        self.members(of, |key, value| {
            if key == name {
                found = value;
            }
        });
        found
    }

    /// Every member of an object, or of the objects of a list.
    pub(super) fn members(&self, of: Given<'v>, mut each: impl FnMut(&str, Given<'v>)) {
        match of {
            Given::Query(Value::Object(object)) => {
                for (key, value) in bluejay_core::ObjectValue::iter(object) {
                    each(key.as_str(), self.of(value));
                }
            }
            Given::Constant(Value::Object(object)) => {
                for (key, value) in bluejay_core::ObjectValue::iter(object) {
                    each(key.as_str(), constant(value));
                }
            }
            Given::Json(Json::Object(object)) => {
                for (key, value) in object {
                    each(key, json(value));
                }
            }
            _ => {}
        }
    }

    /// The items of a list; a value that is no list is its only item.
    pub(super) fn items(&self, of: Given<'v>, mut each: impl FnMut(Given<'v>)) {
        match of {
            Given::Query(Value::List(list)) => list.iter().for_each(|one| each(self.of(one))),
            Given::Constant(Value::List(list)) => list.iter().for_each(|one| each(constant(one))),
            Given::Json(Json::Array(list)) => list.iter().for_each(|one| each(json(one))),
            one => each(one),
        }
    }
}

const fn constant<'v>(value: &'v ConstValue<'v>) -> Given<'v> {
    match value {
        Value::Null(_) => Given::Nothing,
        value => Given::Constant(value),
    }
}

const fn json(value: &Json) -> Given<'_> {
    match value {
        Json::Null => Given::Nothing,
        value => Given::Json(value),
    }
}

impl Given<'_> {
    /// Whether there is nothing.
    pub(super) const fn is_nothing(self) -> bool {
        matches!(self, Self::Nothing)
    }

    /// The number that it is, as the size of a list. Numbers in a text count, since some servers
    /// read them; a negative one says nothing.
    pub(super) fn size(self) -> Option<u64> {
        match self {
            Self::Query(Value::Integer(number)) => whole(number.as_ref()),
            Self::Constant(Value::Integer(number)) => whole(number.as_ref()),
            Self::Query(Value::String(text)) => whole(text.as_ref()),
            Self::Constant(Value::String(text)) => whole(text.as_ref()),
            Self::Json(Json::Number(number)) => number
                .as_u64()
                .or_else(|| number.as_f64().and_then(rounded_up)),
            Self::Json(Json::String(text)) => whole(text),
            Self::Query(value) => match value.as_ref() {
                ValueReference::Float(number) => rounded_up(number),
                _ => None,
            },
            Self::Constant(value) => match value.as_ref() {
                ValueReference::Float(number) => rounded_up(number),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A whole number of 0 or more; one that is too long for the type is its end.
fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| {
        IntegerValue::from_validated_literal(text)
            .as_u64()
            .unwrap_or(u64::MAX)
    })
}

/// A float of 0 or more, rounded up; the cast stays at the type's end.
fn rounded_up(number: f64) -> Option<u64> {
    (number >= 0.0).then(|| number.ceil() as u64)
}
