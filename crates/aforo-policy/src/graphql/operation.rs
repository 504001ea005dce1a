//! The operations of a request, as GraphQL over HTTP has them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::fault::Fault;
use super::json::Strict;
use crate::partition::{Twice, field};

/// One operation of a request: `{ query, operationName, variables, extensions }`.
#[derive(Clone, Debug, Default)]
pub struct Operation<'a> {
    pub(super) query: Option<Cow<'a, str>>,
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) variables: Option<Map<String, Value>>,
    /// The hash or id of a persisted query.
    pub(super) id: Option<Cow<'a, str>>,
}

/// The names under which servers take the id of a persisted document.
const IDS: [&str; 4] = ["documentId", "id", "queryId", "doc_id"];

/// All names that say something of an operation.
const NAMES: [&str; 8] = [
    "query",
    "operationName",
    "variables",
    "extensions",
    "documentId",
    "id",
    "queryId",
    "doc_id",
];

impl<'a> Operation<'a> {
    /// A query without variables.
    pub fn of_query(query: &'a str) -> Self {
        Self {
            query: Some(query.into()),
            ..Self::default()
        }
    }

    /// The operations of a JSON body: one, or a list of such (a batch).
    ///
    /// # Errors
    /// What is not such a body, or would be read differently by different servers.
    pub fn of_json(body: &'a [u8]) -> Result<Vec<Self>, Fault> {
        let text = std::str::from_utf8(body).map_err(|_| Fault::MediaType)?;
        let wrong = |error: serde_json::Error| {
            Fault::Malformed(format!("the body is not a GraphQL request: {error}"))
        };
        if !text.trim_start().starts_with('[') {
            return Ok(vec![serde_json::from_str(text).map_err(wrong)?]);
        }
        serde_json::from_str(text).map_err(wrong)
    }

    /// The operation of a query string (`GET /graphql?query=…`); none where it names none.
    ///
    /// # Errors
    /// A parameter that is there twice, or that is not what it should be.
    pub fn of_parameters(query: &str) -> Result<Option<Operation<'static>>, Fault> {
        let text = |name: &str| parameter(query, name);
        let mut id = None;
        for name in IDS {
            id = id.or(text(name)?);
        }
        let mut operation = Operation {
            query: text("query")?
                .filter(|text| !text.is_empty())
                .map(Cow::Owned),
            name: text("operationName")?.map(Cow::Owned),
            variables: None,
            id: id.map(Cow::Owned),
        };
        if let Some(variables) = text("variables")? {
            operation.variables = members(json(&variables)?)?;
        }
        if let Some(extensions) = text("extensions")? {
            operation.extend(&json(&extensions)?);
        }
        operation.check_hash()?;
        let names_one = operation.query.is_some() || operation.id.is_some();
        Ok(names_one.then_some(operation))
    }

    /// Whether a query string says anything of an operation beside its name.
    pub fn is_in_parameters(query: &str) -> bool {
        let said = NAMES.iter().filter(|name| **name != "operationName");
        said.into_iter()
            .any(|name| !matches!(field(query.as_bytes(), name), Ok(None)))
    }

    /// `extensions.persistedQuery.sha256Hash`.
    fn extend(&mut self, extensions: &Value) {
        let hash = extensions.pointer("/persistedQuery/sha256Hash");
        if let Some(hash) = hash.and_then(Value::as_str) {
            self.id = Some(hash.to_owned().into());
        }
    }

    /// A hash beside a query is the query's: else a server that goes by the hash would execute
    /// another one.
    fn check_hash(&self) -> Result<(), Fault> {
        let (Some(query), Some(id)) = (&self.query, &self.id) else {
            return Ok(());
        };
        if sha256(query) == hash_of(id) {
            return Ok(());
        }
        Err(Fault::Malformed(
            "the query and its hash or id are not of the same document".to_owned(),
        ))
    }
}

/// The hash in an id, which may say that it is one.
pub(super) fn hash_of(id: &str) -> &str {
    id.strip_prefix("sha256:").unwrap_or(id)
}

/// The SHA-256 of a text in lower-case hexadecimal.
pub(super) fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parameter(query: &str, name: &str) -> Result<Option<String>, Fault> {
    let value = field(query.as_bytes(), name)
        .map_err(|Twice| Fault::Malformed(format!("the parameter {name} is there twice")))?;
    value
        .map(|bytes| String::from_utf8(bytes.into_vec()).map_err(|_| Fault::MediaType))
        .transpose()
}

fn json(text: &str) -> Result<Value, Fault> {
    serde_json::from_str::<Strict>(text)
        .map(|Strict(value)| value)
        .map_err(|error| Fault::Malformed(format!("a parameter is not JSON: {error}")))
}

fn members(value: Value) -> Result<Option<Map<String, Value>>, Fault> {
    match value {
        Value::Null => Ok(None),
        Value::Object(members) => Ok(Some(members)),
        _ => Err(Fault::Malformed("`variables` is not an object".to_owned())),
    }
}

impl<'de> Deserialize<'de> for Operation<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Operation<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a query")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Operation<'de>, A::Error> {
        let mut operation = Operation::default();
        let mut seen = [false; NAMES.len()];
        while let Some(Borrowed(name)) = map.next_key::<Borrowed<'de>>()? {
            let Some(at) = NAMES
                .iter()
                .position(|known| known.eq_ignore_ascii_case(&name))
            else {
                if !name.is_ascii() {
                    return Err(A::Error::custom("a member's name is not ASCII"));
                }
                map.next_value::<serde::de::IgnoredAny>()?;
                continue;
            };
            let known = NAMES.get(at).copied().unwrap_or_default();
            if known != name {
                return Err(A::Error::custom(format!("`{name}` instead of `{known}`")));
            }
            let seen = seen.get_mut(at).map(|seen| std::mem::replace(seen, true));
            if seen != Some(false) {
                return Err(A::Error::custom(format!("`{known}` is there twice")));
            }
            match known {
                "query" => operation.query = text(&mut map)?.filter(|text| !text.is_empty()),
                "operationName" => operation.name = text(&mut map)?,
                "variables" => {
                    let Strict(value) = map.next_value()?;
                    operation.variables = members(value).map_err(A::Error::custom)?;
                }
                "extensions" => {
                    let Strict(value) = map.next_value()?;
                    operation.extend(&value);
                }
                _ => {
                    let Strict(value) = map.next_value()?;
                    if operation.id.is_none() {
                        operation.id = id(value).map(Cow::Owned);
                    }
                }
            }
        }
        operation.check_hash().map_err(A::Error::custom)?;
        Ok(operation)
    }
}

fn id(value: Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<Cow<'de, str>>, A::Error> {
    Ok(map.next_value::<Option<Borrowed<'de>>>()?.map(|one| one.0))
}

/// A text that is borrowed where nothing in it is escaped.
struct Borrowed<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Borrowed<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Cow<'de, str>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
                Ok(text.into())
            }

            fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
                Ok(text.to_owned().into())
            }
        }
        deserializer.deserialize_str(Text).map(Borrowed)
    }
}
