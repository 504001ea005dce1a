//! All policies of a file, ready to match requests.

mod aftermath;
mod applicable;
mod calendars;
mod named;
mod own;
mod reckoning;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::net::IpAddr;
use std::sync::Arc;

use aforo_core::{HashKey, Timestamp};

use crate::charges::Sum;
use crate::descriptors::Tree;
use crate::matching::Routing;
use crate::partition::Origin;
use crate::{
    Allowance, Caller, Charges, CostFrom, Facts, Matched, Part, Place, Policy, Refusal, Scope,
    Settings,
};

pub use aftermath::Aftermath;
use applicable::any;
pub(crate) use calendars::Calendars;
pub use own::OwnCharges;
pub use reckoning::Reckoning;
use reckoning::takes_request_cost;

/// All policies of a file, ready to match requests.
#[derive(Debug)]
pub struct PolicySet {
    pub(crate) settings: Arc<Settings>,
    routing: Routing,
    /// Which table applies to a descriptor.
    pub(crate) tree: Tree,
    calendars: Calendars,
    /// Whether some policy counts by the body, or some route's cost is read from it.
    reads_body: bool,
    /// Whether some policy counts by the host.
    reads_host: bool,
    /// Whether some responses are looked at.
    looks_at_responses: bool,
    /// Whether some policy's denials lead to more.
    penalises: bool,
    /// Whether some team's pool is divided.
    divides_pools: bool,
    /// Nobody: who makes the request is not known yet.
    pub(crate) nobody: Caller,
}

impl PolicySet {
    /// Makes the matchers.
    pub fn new(settings: Arc<Settings>) -> Self {
        let some = |counts: fn(&Policy) -> bool| settings.all_policies().any(counts);
        Self {
            routing: Routing::new(&settings),
            tree: Tree::new(&settings.descriptors),
            calendars: Calendars::new(&settings),
            reads_body: some(counts_by_body) || prices_by_body(&settings),
            reads_host: some(counts_by_host),
            penalises: some(|policy| policy.penalty.is_some()),
            divides_pools: some(|policy| policy.share.is_some()),
            looks_at_responses: aftermath::looks_at_responses(&settings),
            nobody: Caller::nobody(),
            settings,
        }
    }

    /// The file.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The edge's charges for an address: each by itself, before identity.
    pub fn edge_charges<'a>(
        &'a self,
        address: IpAddr,
        place: Place,
        now: Timestamp,
        key: &HashKey,
    ) -> Charges<'a> {
        let origin = Origin {
            address,
            ..self.origin(&self.nobody)
        };
        let sum = self.sum(origin, &self.nobody, place, now, key);
        let mut charges = Charges::default();
        for policy in &self.settings.edge {
            // What the edge cannot see is no reason to refuse: identity comes after it.
            let _ = sum.add(&mut charges, Scope::Edge, policy, None);
        }
        charges
    }

    /// The route and groups of a request, by method and canonical path.
    pub fn matched<'a>(&'a self, facts: &Facts<'_>) -> Matched<'a> {
        self.routing
            .of_path(&self.settings, facts.path.matched(), facts.method)
    }

    /// The same when the application's router knows the template already (axum's `MatchedPath`).
    ///
    /// Where the template fits the path, the file's most specific route for the path applies;
    /// where a prefix was stripped from the path, the file's most specific route for the
    /// template. With neither, the template is still what the part `route` counts by.
    pub fn matched_template<'a>(&'a self, facts: &Facts<'_>, template: &str) -> Matched<'a> {
        let path = facts.path.matched();
        self.routing
            .of_template(&self.settings, path, template, facts.method)
    }

    /// Whether a policy that applies counts by the body, or takes a cost that is read from it.
    pub fn needs_body<'a>(&self, matched: &Matched<'a>, caller: &'a Caller, place: Place) -> bool {
        self.reads_body
            && !matched.is_exempt()
            && (is_told_by_operations(matched)
                || any(matched, caller, |one| {
                    one.policy.at.hold(place)
                        && (counts_by_body(one.policy)
                            || takes_request_cost(one.policy) && is_priced_by_body(matched))
                        && may_limit(one.policy, caller)
                }))
    }

    /// Whether some policy counts by the host: else a request's facts need none.
    pub const fn reads_host(&self) -> bool {
        self.reads_host
    }

    /// Whether some policy's denials lead to more: else no policy has a penalty.
    pub const fn penalises(&self) -> bool {
        self.penalises
    }

    /// Whether some team's pool is divided: else no policy is part of one.
    pub const fn divides_pools(&self) -> bool {
        self.divides_pools
    }

    /// What a request is to be charged: by the caller's plan, its team, the groups, the route.
    /// Nothing on an exempt route.
    ///
    /// # Errors
    /// A [`Refusal`] is answered at once and charges nothing.
    pub fn charges<'a>(
        &'a self,
        facts: &Facts<'_>,
        caller: &'a Caller,
        matched: &Matched<'a>,
        place: Place,
        now: Timestamp,
        key: &HashKey,
    ) -> Result<Charges<'a>, Refusal> {
        let mut charges = Charges::default();
        self.reckoning(facts, caller, matched, place, now, key)
            .add_to(&mut charges)?;
        Ok(charges)
    }

    /// The same without the policies that count by the body: what can be looked at before the
    /// body is sent (`Expect: 100-continue`).
    ///
    /// # Errors
    /// A [`Refusal`] is answered at once and charges nothing.
    pub fn bodiless_charges<'a>(
        &'a self,
        facts: &Facts<'_>,
        caller: &'a Caller,
        matched: &Matched<'a>,
        place: Place,
        now: Timestamp,
        key: &HashKey,
    ) -> Result<Charges<'a>, Refusal> {
        let mut charges = Charges::default();
        self.reckoning(facts, caller, matched, place, now, key)
            .without_body()
            .add_to(&mut charges)?;
        Ok(charges)
    }

    /// What there is before a request is known: the caller.
    pub(crate) fn origin<'r>(&self, caller: &'r Caller) -> Origin<'r> {
        Origin {
            address: caller.address,
            ipv6_prefix: self.settings.identity.ipv6_prefix,
            consumer: caller.consumer.as_deref(),
            claims: caller.claims.as_deref(),
            facts: None,
            domain: "",
            descriptor: &[],
            route: None,
            template: None,
        }
    }

    /// What there is when a request is known.
    fn origin_of<'r>(
        &self,
        facts: &'r Facts<'r>,
        caller: &'r Caller,
        matched: &'r Matched<'_>,
    ) -> Origin<'r> {
        Origin {
            facts: Some(facts),
            route: matched.route_label(),
            template: matched.template.filter(|_| matched.fits_path),
            ..self.origin(caller)
        }
    }

    pub(crate) fn sum<'r, 'a>(
        &'a self,
        origin: Origin<'r>,
        caller: &'a Caller,
        place: Place,
        now: Timestamp,
        key: &'r HashKey,
    ) -> Sum<'r, 'a> {
        Sum {
            origin,
            caller,
            calendars: &self.calendars,
            place,
            now,
            key,
            cost: 1,
            by_caller: OnceCell::new(),
        }
    }

    /// The reckoning behind [`PolicySet::charges`], for whoever has a place for the charges.
    pub fn reckoning<'r, 'a>(
        &'a self,
        facts: &'r Facts<'r>,
        caller: &'a Caller,
        matched: &'r Matched<'a>,
        place: Place,
        now: Timestamp,
        key: &'r HashKey,
    ) -> Reckoning<'r, 'a>
    where
        'a: 'r,
    {
        let origin = self.origin_of(facts, caller, matched);
        let sum = Sum {
            cost: matched.route.map_or(1, |route| route.cost),
            ..self.sum(origin, caller, place, now, key)
        };
        Reckoning::new(sum, matched)
    }
}

fn counts_by_body(policy: &Policy) -> bool {
    parts(policy).any(|part| matches!(part, Part::Body(_) | Part::Form(_)))
}

fn prices_by_body(settings: &Settings) -> bool {
    let mut sources = settings.routes.iter().flat_map(|route| &route.cost_from);
    sources.any(CostFrom::reads_body)
}

fn is_told_by_operations(matched: &Matched<'_>) -> bool {
    let from = matched.route.and_then(|route| route.cost_from.as_ref());
    from.is_some_and(CostFrom::reads_operations)
}

fn is_priced_by_body(matched: &Matched<'_>) -> bool {
    let route = matched.route;
    route.is_some_and(|route| route.cost_from.as_ref().is_some_and(CostFrom::reads_body))
}

fn counts_by_host(policy: &Policy) -> bool {
    parts(policy).any(|part| *part == Part::Host)
}

fn parts(policy: &Policy) -> impl Iterator<Item = &Part> {
    let account = policy.exempt_cookie.iter().flat_map(|one| &one.account);
    let all = policy.partition_by.iter().chain(account);
    all.flat_map(|part| &part.0)
}

/// Whether the policy has a quota for the caller, now or while an override holds.
fn may_limit(policy: &Policy, caller: &Caller) -> bool {
    let overrides = caller.consumer.iter().flat_map(|one| &one.overrides);
    let overridden = overrides.map(|one| one.policy.as_str());
    overridden.clone().any(|name| name == policy.name.as_str())
        || !matches!(
            crate::charges::planned(policy, caller),
            None | Some(Allowance::Unlimited)
        )
}
