//! Which policies apply to a request.

use std::sync::Arc;

use crate::{Caller, Matched, Policy, Scope, Template};

/// A policy that applies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Applicable<'a> {
    pub(super) scope: Scope,
    pub(super) policy: &'a Policy,
    /// The template of the group that has it, where the request's path has its parameters.
    pub(super) group: Option<&'a Template>,
}

/// The policies of the caller's plan, of its team, of the groups, of the route.
pub(super) fn applicable<'a>(
    matched: &Matched<'a>,
    caller: &'a Caller,
) -> impl Iterator<Item = Applicable<'a>> {
    let consumer = caller.consumer.as_ref();
    let plan = caller.plan.iter().flat_map(|plan| &plan.policies);
    let team = consumer.and_then(|consumer| consumer.team.as_ref());
    let team = team.into_iter().flat_map(|team| &team.policies);
    let groups = matched.groups.iter().zip(&matched.group_templates);
    let grouped = groups.flat_map(|(group, template)| {
        let template = Some(*template).filter(|_| matched.fits_path);
        let entry = move |policy| entry(Scope::Group, template, policy);
        group.policies.iter().map(entry)
    });
    let route = matched.route.into_iter().flat_map(|route| &route.policies);
    plan.map(|policy| entry(Scope::Plan, None, policy))
        .chain(team.map(|policy| entry(Scope::Team, None, policy)))
        .chain(grouped)
        .chain(route.map(|policy| entry(Scope::Route, None, policy)))
}

fn entry<'a>(scope: Scope, group: Option<&'a Template>, policy: &'a Arc<Policy>) -> Applicable<'a> {
    Applicable {
        scope,
        policy,
        group,
    }
}
