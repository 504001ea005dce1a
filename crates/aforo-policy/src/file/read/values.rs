//! How values are read, and their schemas.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;
use toml::value::Datetime;

use super::{List, Located, Named, Node, OneOrMany, Read, Reader, Text};
use crate::file::variables::substitute;

impl Read for Text {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let DeValue::String(written) = node.value else {
            return reader.mistyped(node, "a string");
        };
        let text = reader.text_at(written, written.to_string(), node.at);
        let value = substitute(&text, reader.environment, reader.findings)?;
        Some(reader.text_at(written, value, node.at))
    }
}

impl Read for Located<u64> {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let DeValue::Integer(integer) = node.value else {
            return reader.mistyped(node, "an integer");
        };
        let Ok(value) = u64::from_str_radix(integer.as_str(), integer.radix()) else {
            return reader.mistyped(
                node,
                "an integer of 0 or more, at most 18446744073709551615",
            );
        };
        Some(Self { value, at: node.at })
    }
}

impl Read for Located<f64> {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let text = match node.value {
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
            DeValue::Float(float) => float.as_str(),
            _ => return reader.mistyped(node, "a number"),
        };
        let Ok(value) = text.parse() else {
            return reader.mistyped(node, "a number");
        };
        Some(Self { value, at: node.at })
    }
}

impl Read for Located<bool> {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let DeValue::Boolean(value) = node.value else {
            return reader.mistyped(node, "true or false");
        };
        let value = *value;
        Some(Self { value, at: node.at })
    }
}

impl Read for Located<Datetime> {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let DeValue::Datetime(value) = node.value else {
            return reader.mistyped(node, "a date such as 2027-01-31, without quotes");
        };
        let value = *value;
        Some(Self { value, at: node.at })
    }
}

impl<T: Read> Read for Box<T> {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        T::read(node, reader).map(Box::new)
    }
}

impl<T: Read> Read for List<T> {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let DeValue::Array(array) = node.value else {
            return reader.mistyped(node, "a list");
        };
        let mut items = Vec::new();
        for value in array.iter() {
            let at = reader.location(value.span());
            let item = Node {
                value: value.get_ref(),
                at,
            };
            items.extend(T::read(item, reader));
        }
        Some(Self {
            items,
            at: node.at,
            empty: array.is_empty(),
        })
    }
}

impl<T: Read> Read for OneOrMany<T> {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        if matches!(node.value, DeValue::Array(_)) {
            return List::read(node, reader).map(Self);
        }
        let item = T::read(node, reader)?;
        Some(Self(List {
            items: vec![item],
            at: node.at,
            empty: false,
        }))
    }
}

impl<T: Read> Read for Named<T> {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let table = reader.table(node)?;
        let mut named = Vec::new();
        for (key, node) in reader.entries(table) {
            let at = node.at;
            if let Some(value) = T::read(Node { at, ..node }, reader) {
                named.push((key, value));
            }
        }
        Some(Self(named))
    }
}

/// The schema of a type that is not worth a definition of its own.
macro_rules! inline_schema {
    ($type:ty, $(<$generic:ident>,)? |$generator:ident| $schema:expr) => {
        impl$(<$generic: JsonSchema>)? JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    };
}

inline_schema!(Text, |_generator| json_schema!({ "type": "string" }));
inline_schema!(
    Located<u64>,
    |_generator| json_schema!({ "type": "integer", "minimum": 0 })
);
inline_schema!(
    Located<f64>,
    |_generator| json_schema!({ "type": "number", "minimum": 0 })
);
inline_schema!(
    Located<bool>,
    |_generator| json_schema!({ "type": "boolean" })
);
// Editors see a TOML date as a string.
inline_schema!(
    Located<Datetime>,
    |_generator| json_schema!({ "type": "string" })
);
inline_schema!(List<T>, <T>, |generator| {
    json_schema!({ "type": "array", "items": generator.subschema_for::<T>() })
});
inline_schema!(OneOrMany<T>, <T>, |generator| {
    let one = generator.subschema_for::<T>();
    json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
});
inline_schema!(Named<T>, <T>, |generator| {
    json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<T>() })
});
