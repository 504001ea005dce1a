//! What a file says and what is wrong with it.
#![allow(clippy::panic, clippy::indexing_slicing, clippy::unwrap_used)]

mod consumers;
mod cost;
mod credentials;
mod decide;
mod descriptors;
mod exempt_cookie;
mod graphql;
mod guaranteed;
mod identity;
mod includes;
mod later;
mod leased;
mod names;
mod penalty;
mod policies;
mod random;
mod rendering;
mod routes;
mod schema;
mod settings;
mod stores;
mod structure;

use std::collections::BTreeMap;
use std::path::Path;

use aforo_policy::file::{Environment, FileError, Finding};
use aforo_policy::{Allowance, Policy, Settings};

/// Variables and files that a test has.
#[derive(Default)]
pub(crate) struct Surroundings {
    variables: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
}

impl Surroundings {
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.to_owned());
        self
    }

    pub(crate) fn parse(&self, text: &str) -> Result<Settings, FileError> {
        Settings::parse("conf/aforo.toml", text, self)
    }
}

impl Environment for Surroundings {
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn read(&self, path: &Path) -> std::io::Result<String> {
        let file = path.to_str().and_then(|path| self.files.get(path));
        file.cloned()
            .ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }
}

/// The settings of a text that is right.
#[track_caller]
pub(crate) fn settings(text: &str) -> Settings {
    match Surroundings::default().parse(text) {
        Ok(settings) => settings,
        Err(error) => panic!("{error}"),
    }
}

/// What is wrong with a text.
#[track_caller]
pub(crate) fn findings(text: &str) -> Vec<Finding> {
    match Surroundings::default().parse(text) {
        Ok(_) => panic!("nothing is wrong with {text}"),
        Err(error) => error.findings().to_vec(),
    }
}

/// The one thing that is wrong with a text, as `line:column message`.
#[track_caller]
pub(crate) fn finding(text: &str) -> String {
    let all = lines(text);
    assert_eq!(all.len(), 1, "{all:#?}");
    all[0].clone()
}

/// Everything that is wrong with a text, each as `line:column message`.
#[track_caller]
pub(crate) fn lines(text: &str) -> Vec<String> {
    findings(text)
        .iter()
        .map(|one| format!("{}:{} {}", one.line, one.column, one.message))
        .collect()
}

/// The help for the one thing that is wrong with a text.
#[track_caller]
pub(crate) fn help(text: &str) -> String {
    findings(text)[0].help.clone().unwrap_or_default()
}

/// The policy of that name in any plan.
#[track_caller]
pub(crate) fn plan_policy<'s>(settings: &'s Settings, name: &str) -> &'s Policy {
    let mut policies = settings.plans.values().flat_map(|plan| &plan.policies);
    match policies.find(|policy| policy.name.as_str() == name) {
        Some(policy) => policy,
        None => panic!("no policy {name}"),
    }
}

/// A policy's quota.
#[track_caller]
pub(crate) fn quota(policy: &Policy) -> aforo_core::Quota {
    match &policy.allowance {
        Some(Allowance::Metered(metered)) => *metered.terms.quota(),
        other => panic!("{other:?}"),
    }
}
