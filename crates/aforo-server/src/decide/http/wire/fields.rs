//! The headers of a request that somebody else has.

use std::borrow::Cow;
use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

/// The most headers.
const MOST: usize = 256;

/// Headers: an object of strings, or of lists of strings. No name is there twice in any spelling.
#[derive(Debug, Default)]
pub(super) struct Fields(pub(super) HeaderMap);

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string or a list of strings")]
enum Values {
    One(String),
    Several(Vec<String>),
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of headers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut headers = HeaderMap::new();
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| A::Error::custom("expected the name of a header"))?;
            if headers.contains_key(&name) {
                let twice = format!("the header `{name}` is there twice; give a list instead");
                return Err(A::Error::custom(twice));
            }
            let values = match map.next_value()? {
                Values::One(value) => vec![value],
                Values::Several(values) => values,
            };
            if headers.len().saturating_add(values.len()) > MOST {
                return Err(A::Error::custom("expected at most 256 headers"));
            }
            for value in values {
                let value = HeaderValue::try_from(value)
                    .map_err(|_| A::Error::custom(format!("`{name}` is not a header's value")))?;
                headers
                    .try_append(name.clone(), value)
                    .map_err(A::Error::custom)?;
            }
        }
        Ok(Fields(headers))
    }
}

impl JsonSchema for Fields {
    fn schema_name() -> Cow<'static, str> {
        "Headers".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "additionalProperties": {
                "oneOf": [
                    { "type": "string" },
                    { "type": "array", "items": { "type": "string" } },
                ],
            },
        })
    }
}
