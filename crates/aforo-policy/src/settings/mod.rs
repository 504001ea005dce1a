//! The file, validated: what exists here makes sense.

mod calendar;
mod cost;
mod decide;
mod descriptor;
mod exempt_cookie;
mod gateway;
mod identity;
mod jwt;
mod lookup;
mod penalty;
mod plan;
mod policy;
mod responses;
mod route;
mod secret;
mod store;
mod store_url;

pub use calendar::Calendar;
pub(crate) use calendar::time_zone;
pub use cost::CostFrom;
pub use decide::Decide;
pub use descriptor::{Descriptor, EntryMatch, ValueMatch};
pub use exempt_cookie::ExemptCookie;
pub use gateway::{Gateway, Tls, Upstream};
pub use identity::{
    Anonymous, CertificateName, CredentialSource, ForwardedHeader, Identity, ProxyTrust,
};
pub use jwt::{Jwt, JwtAlgorithm, JwtKeys};
pub use lookup::{Lookups, OnLookupFailure};
pub use penalty::Penalty;
pub use plan::{Consumer, Override, Plan, Team};
pub use policy::{
    Allowance, Alternatives, Counted, Disclosure, Metered, Normalize, Part, Place, Places, Policy,
    Precision, Share, WhenMissing,
};
pub use responses::{
    Body, Cors, Draft, FieldFamily, Language, Responses, RetryAfter, UpstreamFields,
};
pub use route::{EncodedSlash, Group, Methods, Paths, Route, TrailingSlash};
pub use secret::Secret;
pub use store::{OnStoreFailure, StoreSettings};
pub(crate) use store_url::blackened_line;
pub use store_url::{StoreKind, StoreUrl, StoreUrlError};

use std::collections::BTreeMap;
use std::sync::Arc;

/// A whole aforo file, validated.
#[derive(Debug, Default)]
pub struct Settings {
    /// The gateway's listener, if the file has one.
    pub gateway: Option<Gateway>,
    /// The decision service, if the file has one.
    pub decide: Option<Decide>,
    /// Per-address policies before identity.
    pub edge: Vec<Arc<Policy>>,
    /// Who is calling.
    pub identity: Identity,
    /// How paths are compared.
    pub paths: Paths,
    /// What callers are told.
    pub responses: Responses,
    /// The stores by name; `default` is always there.
    pub stores: BTreeMap<String, StoreSettings>,
    /// The plans by name.
    pub plans: BTreeMap<String, Arc<Plan>>,
    /// The teams by name.
    pub teams: BTreeMap<String, Arc<Team>>,
    /// The groups, in the file's order.
    pub groups: Vec<Group>,
    /// The routes, in the file's order.
    pub routes: Vec<Arc<Route>>,
    /// What Envoy's rate limit service counts, in the file's order.
    pub descriptors: Vec<Descriptor>,
    /// The consumers of the file by id.
    pub consumers: BTreeMap<String, Arc<Consumer>>,
    /// The policies of `[policies]`, by name (for calls by name without a request).
    pub policies: BTreeMap<String, Arc<Policy>>,
}

impl Settings {
    /// The policy of this name, wherever it stands.
    pub fn policy(&self, name: &str) -> Option<&Policy> {
        self.all_policies()
            .find(|policy| policy.name.as_str() == name)
    }

    /// The claims that policies count by.
    pub fn counted_claims(&self) -> std::collections::BTreeSet<&str> {
        let parts = self.all_policies().flat_map(|policy| &policy.partition_by);
        let parts = parts.flat_map(|alternatives| &alternatives.0);
        let claims = parts.filter_map(|part| match part {
            Part::Jwt(claim) => Some(claim.as_str()),
            _ => None,
        });
        claims.collect()
    }

    /// Every policy, wherever it stands; one that stands in several places comes several times.
    pub(crate) fn all_policies(&self) -> impl Iterator<Item = &Policy> {
        let plans = self.plans.values().flat_map(|plan| &plan.policies);
        let teams = self.teams.values().flat_map(|team| &team.policies);
        let groups = self.groups.iter().flat_map(|group| &group.policies);
        let routes = self.routes.iter().flat_map(|route| &route.policies);
        let descriptors = self.descriptors.iter().flat_map(|one| &one.policies);
        self.edge
            .iter()
            .chain(plans)
            .chain(teams)
            .chain(groups)
            .chain(routes)
            .chain(descriptors)
            .chain(self.policies.values())
            .map(AsRef::as_ref)
    }
}
