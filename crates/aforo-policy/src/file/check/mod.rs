//! From raw tables to [`Settings`]: what exists afterwards makes sense.

mod consumers;
mod cost;
mod decide;
mod descriptors;
mod edge;
mod exempt_cookie;
mod gateway;
#[cfg(feature = "graphql")]
mod graphql;
mod guarantee;
mod identity;
mod jwt;
mod leased;
mod lookup;
mod matches;
mod names;
mod network;
mod partition;
mod penalty;
mod policy;
mod quota;
mod responses;
mod routes;
mod sources;
mod stores;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::findings::Findings;
use super::raw::{PolicyEntry, RawFile};
use super::read::{Field, List, Text};
use super::source::Location;
use crate::{Anonymous, ExemptCookie, Identity, Plan, Policy, Settings, StoreSettings, Team};
use names::{Names, Use};
use policy::Named;

/// What checking needs: the file, what is known so far, and where errors go.
struct Checker<'f> {
    file: &'f RawFile,
    findings: &'f mut Findings,
    /// All policies by name.
    names: Names,
    /// The policies of `[policies]`.
    named: BTreeMap<String, Named>,
    stores: BTreeMap<String, StoreSettings>,
    /// What GraphQL requests cost.
    #[cfg(feature = "graphql")]
    gauge: Arc<crate::graphql::Gauge>,
    /// The cookies of known devices.
    cookies: Vec<(ExemptCookie, Location)>,
}

/// Makes settings of a file. They are to be used only when nothing was found.
pub(in crate::file) fn check(file: &RawFile, findings: &mut Findings) -> Settings {
    let mut checker = Checker {
        file,
        findings,
        names: Names::default(),
        named: BTreeMap::new(),
        stores: BTreeMap::new(),
        #[cfg(feature = "graphql")]
        gauge: Arc::default(),
        cookies: Vec::new(),
    };
    checker.settings()
}

impl Checker<'_> {
    fn settings(&mut self) -> Settings {
        #[cfg(feature = "graphql")]
        {
            self.gauge = self.gauge();
        }
        self.stores = self.stores();
        self.check_plan_names();
        self.reserve_names();
        self.named = self.named_policies();
        let identity = self.identity();
        let plans = self.plans();
        let teams = self.teams(&identity);
        let edge = self.edge();
        let groups = self.groups();
        let routes = self.routes();
        let descriptors = self.descriptors();
        let consumers = self.consumers(&plans, &teams, &identity);
        let settings = Settings {
            gateway: self.gateway(),
            decide: self.decide(),
            edge,
            identity,
            paths: self.paths(),
            responses: self.responses(),
            stores: std::mem::take(&mut self.stores),
            plans,
            teams,
            groups,
            routes,
            descriptors,
            consumers,
            policies: self.policies_by_name(),
        };
        self.check_anonymous_plan(&settings);
        self.check_default_plan(&settings);
        self.check_sources(&settings);
        settings
    }

    fn plans(&mut self) -> BTreeMap<String, Arc<Plan>> {
        let mut plans = BTreeMap::new();
        for (name, raw) in self.file.plans.get().into_iter().flat_map(|plans| &plans.0) {
            let used = Use::Plan(name.value.clone());
            let plan = Plan {
                name: name.value.clone(),
                policies: self.policies(&raw.policies, &used),
                title: text(&raw.title),
                price: text(&raw.price),
                upgrade_url: self.url(&raw.upgrade_url),
            };
            plans.insert(name.value.clone(), Arc::new(plan));
        }
        plans
    }

    fn teams(&mut self, identity: &Identity) -> BTreeMap<String, Arc<Team>> {
        let mut teams = BTreeMap::new();
        for (name, raw) in self.file.teams.get().into_iter().flat_map(|teams| &teams.0) {
            self.check_name("team", name);
            let used = Use::Team(name.value.clone());
            let pools = self.policies(&raw.policies, &used);
            let team = Team {
                name: name.value.clone(),
                policies: self.guaranteed(name, raw, pools, identity),
            };
            teams.insert(name.value.clone(), Arc::new(team));
        }
        teams
    }

    fn check_plan_names(&mut self) {
        for (name, _) in self.file.plans.get().into_iter().flat_map(|plans| &plans.0) {
            self.check_name("plan", name);
            if name.value == "default" {
                self.findings
                    .add(name.at, "a plan cannot be named `default`")
                    .help("`default` stands for all other plans in a quota per plan");
            }
        }
    }

    fn check_name(&mut self, what: &str, name: &Text) {
        if aforo_core::PolicyName::new(name.as_str()).is_err() {
            self.findings
                .add(
                    name.at,
                    format!("`{}` is not a {what}'s name", name.written),
                )
                .expected("1 to 64 of a-z, 0-9, '.', '_' and '-'");
        }
    }

    /// Whether a plan of that name is in the file, right or wrong.
    fn has_plan(&self, name: &str) -> bool {
        let plans = self.file.plans.get();
        plans.is_some_and(|plans| plans.0.iter().any(|(known, _)| known.value == name))
    }

    /// Notes a plan that does not exist.
    fn check_plan(&mut self, plan: &Text) -> bool {
        if self.has_plan(plan.as_str()) || matches!(self.file.plans, Field::Wrong) {
            return true;
        }
        let plans = self.file.plans.get().map_or(&[][..], |plans| &plans.0);
        let names: Vec<&str> = plans.iter().map(|(name, _)| name.as_str()).collect();
        let near = super::nearest::nearest(plan.as_str(), names.iter().copied());
        let fault = self
            .findings
            .add(plan.at, format!("there is no plan `{}`", plan.written));
        match names.as_slice() {
            [] => fault.expected("a plan of [plans]"),
            names => fault.expected(names.join(", ")),
        };
        if let Some(near) = near {
            fault.help(format!("did you mean `{near}`?"));
        }
        false
    }

    fn check_anonymous_plan(&mut self, settings: &Settings) {
        let needed = settings.gateway.is_some() || !settings.plans.is_empty();
        let wrong = matches!(self.file.plans, Field::Wrong);
        if settings.identity.anonymous == Anonymous::Deny || !needed || wrong {
            return;
        }
        if !self.has_plan("anonymous") {
            let plans = self.file.plans.get().and_then(|plans| plans.0.first());
            let gateway = self.file.gateway.get().map(|gateway| gateway.place);
            let at = plans.map(|(name, _)| name.at).or(gateway);
            self.findings
                .add(at.unwrap_or_default(), "there is no plan `anonymous`")
                .expected("[plans.anonymous] with the policies of callers without a credential")
                .help("or write anonymous = \"deny\" in [identity] to turn them away");
        }
    }

    fn check_default_plan(&mut self, settings: &Settings) {
        let identity = self.file.identity.get();
        let raw = identity.and_then(|identity| identity.default_plan.get());
        if let Some(plan) = raw {
            self.check_plan(plan);
            return;
        }
        let header = identity.and_then(|identity| identity.verified_header.get());
        let certificate = identity.and_then(|identity| identity.client_certificate.get());
        let named = [
            header.map(|header| (header.at, "verified_header")),
            certificate.map(|choice| (choice.at, "client_certificate")),
        ];
        for (at, field) in named.into_iter().flatten() {
            if !settings.plans.is_empty() {
                self.findings
                    .add(at, format!("consumers of `{field}` would have no plan"))
                    .help("name one as default_plan");
            }
        }
    }

    /// An absolute URL for people.
    fn url(&mut self, field: &Field<Text>) -> Option<String> {
        let text = field.get()?;
        let uri = text.as_str().parse::<http::Uri>().ok();
        let web = uri.is_some_and(|uri| {
            matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some()
        });
        if !web {
            self.findings
                .add(text.at, format!("`{}` is not a URL", text.written))
                .expected("an address such as https://api.example/limits");
            return None;
        }
        Some(text.value.clone())
    }

    /// The policies of a list.
    fn policies(&mut self, list: &Field<List<PolicyEntry>>, used: &Use) -> Vec<Arc<Policy>> {
        let mut policies: Vec<Arc<Policy>> = Vec::new();
        for entry in list.get().into_iter().flat_map(List::iter) {
            let Some(policy) = self.entry(entry, used) else {
                continue;
            };
            if policies.iter().any(|known| known.name == policy.name) {
                let at = entry.at();
                self.findings
                    .add(
                        at,
                        format!("the policy `{}` is twice in this list", policy.name),
                    )
                    .help("a policy counts a request once; leave one of them out");
                continue;
            }
            policies.push(policy);
        }
        policies
    }
}

/// A field's text.
fn text(field: &Field<Text>) -> Option<String> {
    field.get().map(|text| text.value.clone())
}
