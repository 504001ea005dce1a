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

/// Shows the policies of the caller's plan, of its team, of the groups, of the route, until one of
/// them is refused. Not an iterator: a chain of four costs several times as much.
#[inline]
pub(super) fn try_each<'a, E>(
    matched: &Matched<'a>,
    caller: &'a Caller,
    mut show: impl FnMut(Applicable<'a>) -> Result<(), E>,
) -> Result<(), E> {
    if let Some(plan) = &caller.plan {
        for policy in &plan.policies {
            show(entry(Scope::Plan, None, policy))?;
        }
    }
    let consumer = caller.consumer.as_ref();
    if let Some(team) = consumer.and_then(|consumer| consumer.team.as_ref()) {
        for policy in &team.policies {
            show(entry(Scope::Team, None, policy))?;
        }
    }
    for (group, template) in matched.groups.iter().zip(&matched.group_templates) {
        let template = Some(*template).filter(|_| matched.fits_path);
        for policy in &group.policies {
            show(entry(Scope::Group, template, policy))?;
        }
    }
    if let Some(route) = matched.route {
        for policy in &route.policies {
            show(entry(Scope::Route, None, policy))?;
        }
    }
    Ok(())
}

/// Whether one that applies is such a policy.
pub(super) fn any<'a>(
    matched: &Matched<'a>,
    caller: &'a Caller,
    is_such: impl Fn(Applicable<'a>) -> bool,
) -> bool {
    let found = |one| if is_such(one) { Err(()) } else { Ok(()) };
    try_each(matched, caller, found).is_err()
}

fn entry<'a>(scope: Scope, group: Option<&'a Template>, policy: &'a Arc<Policy>) -> Applicable<'a> {
    Applicable {
        scope,
        policy,
        group,
    }
}
