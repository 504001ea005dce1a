//! What every command needs: the registry, the file, who asks, the time.

use std::time::Duration;

use aforo::core::{PolicyName, Timestamp};
use aforo::registry::{Name, Registry, Text};
use aforo::store::{Clock as _, WallClock};
use aforo_policy::{Settings, StoreUrl};

use super::failure::Failure;
use super::place::Place;
use crate::file;

/// How long a command waits: another one may be writing.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Session {
    pub(super) registry: Registry,
    pub(super) author: Text,
    pub(super) now: Timestamp,
    file: Option<Settings>,
}

impl Session {
    pub(super) fn open(place: &Place) -> Result<Self, Failure> {
        let file = place.file.as_deref().map(file::read).transpose()?;
        let url = url(place, file.as_ref())?;
        Ok(Self {
            registry: Registry::open(&url, PATIENCE)?,
            author: author(place.by.as_deref())?,
            now: WallClock.now(),
            file,
        })
    }

    /// A plan, which the file has if there is one.
    pub(super) fn plan(&self, written: &str) -> Result<Name, Failure> {
        let name = name("the plan", written)?;
        match &self.file {
            Some(file) => known("the plan", &name, file.plans.keys()).map(|()| name),
            None => Ok(name),
        }
    }

    /// A team, which the file has if there is one.
    pub(super) fn team(&self, written: &str) -> Result<Name, Failure> {
        let name = name("the team", written)?;
        match &self.file {
            Some(file) => known("the team", &name, file.teams.keys()).map(|()| name),
            None => Ok(name),
        }
    }

    /// A policy, which the file has if there is one.
    pub(super) fn policy(&self, written: &str) -> Result<PolicyName, Failure> {
        let name = PolicyName::new(written).map_err(|error| Failure::Argument {
            argument: "the policy",
            problem: format!("`{written}` is no name"),
            expected: error.to_string(),
        })?;
        let Some(file) = &self.file else {
            return Ok(name);
        };
        match file.policy(name.as_str()) {
            Some(_) => Ok(name),
            None => Err(Failure::Argument {
                argument: "the policy",
                problem: format!("the file has no policy `{name}`"),
                expected: "the name of a policy, as `aforo check` shows them".to_owned(),
            }),
        }
    }

    /// That a quota makes sense, beside what the file says of the policy.
    pub(super) fn check_quota(&self, policy: &PolicyName, quota: &str) -> Result<(), Failure> {
        let of_file = self.file.as_ref();
        let of_file = of_file.and_then(|file| file.policy(policy.as_str()));
        let checked = match of_file {
            Some(policy) => policy.negotiated(quota).map(drop),
            None => aforo_policy::Policy::parse(policy.as_str(), quota).map(drop),
        };
        checked.map_err(|error| Failure::Quota(error.to_string()))
    }
}

/// A text of an argument.
pub(super) fn text(argument: &'static str, written: &str) -> Result<Text, Failure> {
    let text = written.parse();
    text.map_err(|error| Failure::Text { argument, error })
}

/// A text that may be left out.
pub(super) fn text_if_any(
    argument: &'static str,
    written: Option<&str>,
) -> Result<Option<Text>, Failure> {
    written.map(|written| text(argument, written)).transpose()
}

fn name(argument: &'static str, written: &str) -> Result<Name, Failure> {
    let name = written.parse();
    name.map_err(|error| Failure::Text { argument, error })
}

fn known<'a>(
    argument: &'static str,
    name: &Name,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), Failure> {
    let names: Vec<&str> = names.map(String::as_str).collect();
    match names.contains(&name.as_str()) {
        true => Ok(()),
        false => Err(Failure::Argument {
            argument,
            problem: format!("the file has no `{name}`"),
            expected: match names.is_empty() {
                true => "one of the file, which has none".to_owned(),
                false => names.join(", "),
            },
        }),
    }
}

fn url(place: &Place, file: Option<&Settings>) -> Result<StoreUrl, Failure> {
    if let Some(address) = &place.registry {
        return address.0.parse().map_err(Failure::Address);
    }
    let of_file = file.and_then(|file| file.identity.registry.clone());
    of_file.ok_or(Failure::NoRegistry)
}

fn author(given: Option<&str>) -> Result<Text, Failure> {
    match given {
        Some(given) => text("--by", given),
        None => {
            let user = uzers::get_current_username().ok_or(Failure::Nobody)?;
            let user = user.to_str().ok_or(Failure::Nobody)?;
            user.parse().map_err(|_| Failure::Nobody)
        }
    }
}
