//! A caller's own policies, without a request for any of them.

use aforo_core::{HashKey, Timestamp};

use super::PolicySet;
use crate::partition::Origin;
use crate::{Alternatives, Caller, Charges, Part, Place, Planned, Policy, Scope};

/// What a caller may be charged, whatever it asks for.
#[derive(Debug, Default)]
pub struct OwnCharges<'a> {
    /// A charge of no units for each policy that counts by nothing but the caller and the route.
    pub charges: Charges<'a>,
    /// For each of them the route that it is about, when it is about one: methods and template.
    pub routes: Vec<Option<&'a str>>,
}

impl PolicySet {
    /// What a caller may be charged, whatever it asks for: the policies of its plan, its team, the
    /// groups and the routes, as far as they count by nothing but the caller and the route.
    pub fn own_charges<'a>(
        &'a self,
        caller: &'a Caller,
        place: Place,
        now: Timestamp,
        key: &HashKey,
    ) -> OwnCharges<'a> {
        let mut own = OwnCharges::default();
        let sum = self.sum(self.origin(caller), caller, place, now, key);
        let plan = caller.plan.iter().flat_map(|plan| &plan.policies);
        let team = caller.consumer.iter().filter_map(|one| one.team.as_ref());
        let team = team.flat_map(|team| &team.policies);
        let groups = self
            .settings
            .groups
            .iter()
            .flat_map(|group| &group.policies);
        let everywhere = plan
            .map(|policy| (Scope::Plan, policy))
            .chain(team.map(|policy| (Scope::Team, policy)))
            .chain(groups.map(|policy| (Scope::Group, policy)));
        for (scope, policy) in everywhere {
            if counts_by_caller(policy, false) {
                // What does not apply to this caller is left out.
                let _ = sum.add(&mut own.charges, scope, policy, None);
            }
        }
        own.routes.resize(own.charges.planned.len(), None);
        for (route, label) in self.routing.labelled(&self.settings) {
            let held = caller.plan.as_ref().map(|plan| &plan.name);
            let is_open = route.plans.is_empty();
            if route.exempt || !is_open && !held.is_some_and(|held| route.plans.contains(held)) {
                continue;
            }
            let origin = Origin {
                route: Some(label.as_bytes()),
                ..self.origin(caller)
            };
            let sum = self.sum(origin, caller, place, now, key);
            for policy in &route.policies {
                if counts_by_caller(policy, true) {
                    let _ = sum.add(&mut own.charges, Scope::Route, policy, None);
                }
            }
            own.routes.resize(own.charges.planned.len(), Some(label));
        }
        for planned in &mut own.charges.planned {
            if let Planned::Charge(charge) = &mut planned.planned {
                charge.cost = 0;
            }
        }
        own
    }
}

/// Whether a policy counts by nothing that a request says; by the route, where that is known.
fn counts_by_caller(policy: &Policy, route_is_known: bool) -> bool {
    let is_own = |part: &Part| match part {
        Part::Caller
        | Part::Consumer
        | Part::Team
        | Part::Org
        | Part::ClientIp(_)
        | Part::Everyone => true,
        Part::Route => route_is_known,
        _ => false,
    };
    let all_own = |alternatives: &Alternatives| alternatives.0.iter().all(is_own);
    policy.partition_by.iter().all(all_own)
}
