//! The names of policies: unique in the whole file, made up where none is given.

use std::collections::BTreeMap;

use aforo_core::PolicyName;

use super::Checker;
use crate::Part;
use crate::file::quota::{QuotaFields, QuotaText};
use crate::file::raw::PolicyEntry;
use crate::file::read::{Field, List, Text};
use crate::file::source::Location;

/// Where a policy is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Plan(String),
    Team(String),
    Edge,
    /// A group: the names of its first match, and the parameters of its templates.
    Group(Place),
    /// A route, likewise.
    Route(Place),
    /// A descriptor: its keys and values as a name, and its keys.
    Descriptor(Place),
}

/// A group or a route as names and parts see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
}

/// What is known of a policy beside itself.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) at: Location,
    /// Whether the file names it.
    written: bool,
    pub(super) fields: QuotaFields,
    pub(super) parts: Vec<(Part, Location)>,
    /// Where it is used, and whether it counts consumers apart there.
    pub(super) uses: Vec<(Use, bool)>,
    /// Whether the gateway enforces it.
    pub(super) in_gateway: bool,
}

/// All policies by name.
#[derive(Debug, Default)]
pub(super) struct Names(pub(super) BTreeMap<String, Known>);

impl Use {
    /// What the name of an unnamed policy begins with.
    fn place(&self) -> String {
        match self {
            Self::Plan(name) => name.clone(),
            Self::Team(name) => format!("team-{name}"),
            Self::Edge => "edge".to_owned(),
            Self::Group(place) => format!("group-{}", place.name),
            Self::Route(place) | Self::Descriptor(place) => place.name.clone(),
        }
    }

    /// What a policy counts by when it does not say.
    pub(super) fn partition(&self) -> Vec<Part> {
        match self {
            Self::Plan(_) | Self::Group(_) => vec![Part::Caller],
            Self::Team(_) => vec![Part::Team],
            Self::Edge => vec![Part::ClientIp(None)],
            Self::Route(_) => vec![Part::Caller, Part::Route],
            Self::Descriptor(_) => vec![Part::Descriptor],
        }
    }
}

impl Known {
    fn new(at: Location, written: bool) -> Self {
        Self {
            at,
            written,
            fields: QuotaFields::default(),
            parts: Vec::new(),
            uses: Vec::new(),
            in_gateway: true,
        }
    }
}

impl Names {
    /// A name for an unnamed policy: the place and the window, then `-2` and so on.
    fn free(&self, base: &str) -> String {
        let mut name = base.to_owned();
        let mut number = 2u32;
        while self.0.contains_key(&name) {
            name = format!("{base}-{number}");
            number = number.saturating_add(1);
        }
        name
    }
}

impl Checker<'_> {
    /// Takes all names that are written, so that made-up ones are told apart from them.
    pub(super) fn reserve_names(&mut self) {
        let file = self.file;
        let mut written: Vec<&Text> = Vec::new();
        for (name, policy) in file.policies.get().into_iter().flat_map(|named| &named.0) {
            written.push(name);
            if let Some(inner) = policy.name.get() {
                self.findings
                    .add(inner.at, "a policy of [policies] has its name already")
                    .help(format!("leave it out: the name is `{}`", name.value));
            }
        }
        let plans = file.plans.get().into_iter().flat_map(|named| &named.0);
        plans.for_each(|(_, plan)| written.extend(inline_names(&plan.policies)));
        let teams = file.teams.get().into_iter().flat_map(|named| &named.0);
        teams.for_each(|(_, team)| written.extend(inline_names(&team.policies)));
        let edge = file.edge.get().into_iter();
        edge.for_each(|edge| written.extend(inline_names(&edge.policies)));
        let groups = file.groups.get().into_iter().flat_map(List::iter);
        groups.for_each(|group| written.extend(inline_names(&group.policies)));
        let routes = file.routes.get().into_iter().flat_map(List::iter);
        routes.for_each(|route| written.extend(inline_names(&route.policies)));
        let descriptors = file.descriptors.get().into_iter().flat_map(List::iter);
        descriptors.for_each(|one| written.extend(inline_names(&one.policies)));
        written.into_iter().for_each(|name| self.reserve(name));
    }

    fn reserve(&mut self, name: &Text) {
        self.check_name("policy", name);
        let key = name.value.to_lowercase();
        match self.names.0.get(&key) {
            Some(first) => {
                let first = first.at;
                self.findings
                    .add(
                        name.at,
                        format!("another policy is named `{}`", name.written),
                    )
                    .also(first, "the first one is here")
                    .help("names are unique in the whole file, whatever the case");
            }
            None => {
                self.names.0.insert(key, Known::new(name.at, true));
            }
        }
    }

    /// A name for a policy without one.
    pub(super) fn made_up_name(
        &mut self,
        used: &Use,
        quota: &QuotaText,
        at: Location,
    ) -> Option<PolicyName> {
        let base = format!("{}-{}", used.place(), quota.suffix());
        if let Some(written) = self.written_name(&base) {
            self.findings
                .add(
                    at,
                    format!("this policy would be named `{base}`, as another one is"),
                )
                .also(written, "the other one is here")
                .help("give one of them another name");
            return None;
        }
        let name = self.names.free(&base);
        let Ok(made) = PolicyName::new(&name) else {
            self.findings
                .add(
                    at,
                    format!("this policy would be named `{name}`, which is not a name"),
                )
                .expected("1 to 64 of a-z, 0-9, '.', '_' and '-'")
                .help("give it a name: { name = \"...\", quota = \"...\" }");
            return None;
        };
        self.names.0.insert(name, Known::new(at, false));
        Some(made)
    }

    /// Where a name was written, if it was written and not made up.
    pub(super) fn written_name(&self, name: &str) -> Option<Location> {
        let known = self.names.0.get(name)?;
        known.written.then_some(known.at)
    }
}

fn inline_names(list: &Field<List<PolicyEntry>>) -> impl Iterator<Item = &Text> {
    let entries = list.get().into_iter().flat_map(List::iter);
    entries.filter_map(|entry| match entry {
        PolicyEntry::Inline(policy) => policy.name.get(),
        PolicyEntry::Text(_) => None,
    })
}
