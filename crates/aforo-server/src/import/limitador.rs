//! Limitador's limits file (<https://github.com/Kuadrant/limitador>).
//!
//! One of its limits applies to every descriptor that has the keys it speaks of, whatever else the
//! descriptor has; a table of `[[descriptors]]` is for whole descriptors. So there is a table for
//! each set of the keys that a namespace speaks of, and for each value that some condition names.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::selector::{Condition, condition, variable};
use super::written::{Entry, Written, quoted};

/// The most tables of a namespace.
const MOST_TABLES: usize = 1_000;

/// A limit as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limit {
    #[serde(default)]
    id: Option<String>,
    namespace: String,
    max_value: u64,
    seconds: u64,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    conditions: Vec<String>,
    #[serde(default)]
    variables: Vec<String>,
}

/// A limit that has an equivalent.
#[derive(Debug)]
struct Applying {
    policy: String,
    conditions: Vec<Condition>,
    variables: Vec<String>,
}

/// What a descriptor may say for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said {
    Nothing,
    Value(String),
    Other,
}

/// The limits of a file.
pub(super) fn read(text: &str) -> Result<Vec<Limit>, yaml_serde::Error> {
    yaml_serde::from_str(text)
}

/// Writes the tables of all namespaces.
pub(super) fn import(limits: &[Limit], written: &mut Written) {
    let mut namespaces: BTreeMap<&str, Vec<&Limit>> = BTreeMap::new();
    for limit in limits {
        namespaces.entry(&limit.namespace).or_default().push(limit);
    }
    for (namespace, limits) in namespaces {
        let applying: Vec<Applying> = limits
            .into_iter()
            .filter_map(|limit| applying(limit, written))
            .collect();
        tables(namespace, &applying, written);
    }
}

/// Writes the policy of a limit.
fn applying(limit: &Limit, written: &mut Written) -> Option<Applying> {
    let known = limit.name.as_ref().or(limit.id.as_ref());
    let label = known.cloned().unwrap_or_else(|| {
        let words = [&[limit.namespace.clone()][..], &limit.variables].concat();
        words.join("-").replace("descriptors[0].", "")
    });
    let mut lacks = |what: &str| written.lacks(format!("{label}: {what}; it is left out"));
    let mut conditions = Vec::new();
    for text in &limit.conditions {
        match condition(text) {
            Some(condition) => conditions.push(condition),
            None => {
                lacks(&format!("the condition `{text}`"));
                return None;
            }
        }
    }
    let mut variables = Vec::new();
    for text in &limit.variables {
        match variable(text) {
            Some(key) => variables.push(key),
            None => {
                lacks(&format!("the variable `{text}`"));
                return None;
            }
        }
    }
    if limit.seconds == 0 || limit.seconds > 400 * 86_400 {
        lacks(&format!("a window of {} seconds", limit.seconds));
        return None;
    }
    variables.sort();
    variables.dedup();
    let policy = written.name(&label);
    let parts: Vec<String> = variables
        .iter()
        .map(|key| quoted(&format!("descriptor:{key}")))
        .collect();
    let parts = match parts.as_slice() {
        [] => "\"everyone\"".to_owned(),
        parts => parts.join(", "),
    };
    written.comment(&format!(
        "{} in {} seconds, from the first on",
        limit.max_value, limit.seconds
    ));
    written.line(format_args!("[policies.{}]", quoted(&policy)));
    if limit.max_value == 0 {
        written.line(format_args!("quota = \"0/{}s\"", limit.seconds));
    } else {
        written.line(format_args!(
            "quota = \"{}/{}s fixed-window\"",
            limit.max_value, limit.seconds
        ));
        written.line(format_args!("window = \"first-hit\""));
    }
    written.line(format_args!("partition_by = [{parts}]"));
    Some(Applying {
        policy,
        conditions,
        variables,
    })
}

impl Applying {
    fn keys(&self) -> impl Iterator<Item = &String> {
        let conditions = self.conditions.iter().map(|condition| &condition.key);
        conditions.chain(&self.variables)
    }

    fn applies(&self, said: &BTreeMap<&str, Said>) -> bool {
        let of = |key: &str| said.get(key).unwrap_or(&Said::Nothing);
        let holds = |condition: &Condition| match of(&condition.key) {
            Said::Nothing => false,
            Said::Value(value) => (*value == condition.value) != condition.differs,
            Said::Other => condition.differs,
        };
        self.conditions.iter().all(holds)
            && self.variables.iter().all(|key| *of(key) != Said::Nothing)
    }
}

fn tables(namespace: &str, limits: &[Applying], written: &mut Written) {
    let mut keys: Vec<&str> = Vec::new();
    for key in limits.iter().flat_map(Applying::keys) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let sayings = sayings(&keys, limits);
    let Some(sayings) = sayings else {
        written.lacks(format!(
            "{namespace}: so many keys and values; no table is written"
        ));
        return;
    };
    written.comment(&format!(
        "Namespace {namespace}. The descriptor has to have its entries in this order: {}.\n\
         An entry that no limit speaks of makes it another descriptor, which is not counted.",
        keys.join(", ")
    ));
    for said in sayings {
        let entries: Vec<Entry> = keys
            .iter()
            .filter_map(|key| match said.get(key)? {
                Said::Nothing => None,
                Said::Value(value) => Some(((*key).to_owned(), Some(value.clone()))),
                Said::Other => Some(((*key).to_owned(), None)),
            })
            .collect();
        let applying = limits.iter().filter(|limit| limit.applies(&said));
        let policies: Vec<String> = applying
            .map(|limit| quoted(&format!("@{}", limit.policy)))
            .collect();
        if !entries.is_empty() {
            written.descriptor(namespace, &entries, &policies);
        }
    }
}

/// Everything that a descriptor may say, as far as it makes a difference; `None` when that is too
/// much.
fn sayings<'k>(keys: &[&'k str], limits: &[Applying]) -> Option<Vec<BTreeMap<&'k str, Said>>> {
    let mut sayings = vec![BTreeMap::new()];
    for key in keys {
        let mut values = vec![Said::Nothing, Said::Other];
        for condition in limits.iter().flat_map(|limit| &limit.conditions) {
            let value = Said::Value(condition.value.clone());
            // The empty value cannot be told from any.
            if condition.key == *key && !condition.value.is_empty() && !values.contains(&value) {
                values.push(value);
            }
        }
        if sayings.len().saturating_mul(values.len()) > MOST_TABLES {
            return None;
        }
        let mut longer = Vec::new();
        for said in &sayings {
            for value in &values {
                let mut said = said.clone();
                said.insert(*key, value.clone());
                longer.push(said);
            }
        }
        sayings = longer;
    }
    Some(sayings)
}
