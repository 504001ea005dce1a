//! Texts of persisted queries.

use std::collections::HashMap;

use serde_json::Value;

use super::json::Strict;
use super::operation::{hash_of, sha256};

/// Texts of persisted queries by their hash or id.
#[derive(Clone, Debug, Default)]
pub struct Registered(HashMap<Box<str>, Box<str>>);

/// A list of persisted queries that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("neither a list of operations with `id` and `body`, nor a table from ids to texts: {0}")]
pub struct NotAList(String);

impl Registered {
    /// Adds a text under its SHA-256.
    pub fn insert(&mut self, text: &str) {
        self.0.insert(sha256(text).into(), text.into());
    }

    /// Adds those of a JSON file: Apollo's manifest (`{ "operations": [{ "id", "body" }] }`), or
    /// Relay's table (`{ "id": "text" }`). Each is known by its id and by its SHA-256.
    ///
    /// # Errors
    /// When it is neither.
    pub fn read(&mut self, json: &str) -> Result<(), NotAList> {
        let wrong = |what: &str| NotAList(what.to_owned());
        let Strict(value) =
            serde_json::from_str(json).map_err(|error| NotAList(error.to_string()))?;
        let Value::Object(members) = value else {
            return Err(wrong("it is no object"));
        };
        if let Some(Value::Array(operations)) = members.get("operations") {
            for one in operations {
                let text = |name: &str| one.get(name).and_then(Value::as_str);
                let (Some(id), Some(body)) = (text("id"), text("body")) else {
                    return Err(wrong("an operation lacks its `id` or `body`"));
                };
                self.add(id, body);
            }
            return Ok(());
        }
        for (id, text) in &members {
            let text = text.as_str().ok_or_else(|| wrong("a text is no string"))?;
            self.add(id, text);
        }
        Ok(())
    }

    fn add(&mut self, id: &str, text: &str) {
        self.0.insert(hash_of(id).into(), text.into());
        self.insert(text);
    }

    /// The text of an id.
    pub(super) fn get(&self, id: &str) -> Option<&str> {
        let known = self.0.get(hash_of(id));
        known.map(AsRef::as_ref)
    }
}
