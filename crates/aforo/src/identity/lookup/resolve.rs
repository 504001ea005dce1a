//! A consumer that was found, as the file's policies see it.

use std::sync::Arc;

use aforo_policy::{Consumer, Override, Plan, Settings, Team};

use super::{Found, FoundOverride, LookupError};
use crate::identity::credential::is_id;
use crate::identity::marks::Marks;

/// That what was found can be a consumer.
pub(crate) fn check(found: &Found) -> Result<(), LookupError> {
    if !is_id(&found.id) {
        return Err(LookupError::Misunderstood(
            "a consumer's id has 1 to 256 bytes without control characters".to_owned(),
        ));
    }
    Ok(())
}

/// The consumer as the file's policies see it. What the file does not have is told once. Where
/// neither the answer nor `default_plan` names a plan that there is, it has the plan `anonymous`,
/// rather than none and no limits.
pub(crate) fn consumer(found: &Found, settings: &Settings, told: &Marks) -> Arc<Consumer> {
    let known = settings.consumers.get(&found.id);
    let own = known.map(|known| known.overrides.as_slice());
    let overrides = found.overrides.iter();
    let overrides = overrides.filter_map(|one| negotiated(one, &found.id, settings, told));
    Arc::new(Consumer {
        plan: plan(found, settings, told)
            .or_else(|| known.and_then(|known| known.plan.clone()))
            .or_else(|| fallback(settings)),
        team: team(found, settings, told).or_else(|| known.and_then(|known| known.team.clone())),
        org: found
            .org
            .clone()
            .or_else(|| known.and_then(|known| known.org.clone())),
        contact: None,
        api_key_sha256: Vec::new(),
        overrides: overrides
            .chain(own.unwrap_or_default().iter().cloned())
            .collect(),
        id: found.id.clone(),
    })
}

fn fallback(settings: &Settings) -> Option<Arc<Plan>> {
    let default = settings.identity.default_plan.as_deref();
    default
        .and_then(|name| settings.plans.get(name))
        .or_else(|| settings.plans.get("anonymous"))
        .cloned()
}

fn plan(found: &Found, settings: &Settings, told: &Marks) -> Option<Arc<Plan>> {
    let name = found.plan.as_ref()?;
    let plan = settings.plans.get(name).cloned();
    if plan.is_none() && told.is_first(&("plan", name)) {
        tracing::warn!(
            plan = name,
            consumer = found.id,
            "a lookup named a plan that the file does not have; its consumers have the default plan"
        );
    }
    plan
}

fn team(found: &Found, settings: &Settings, told: &Marks) -> Option<Arc<Team>> {
    let name = found.team.as_ref()?;
    let team = settings.teams.get(name).cloned();
    if team.is_none() && told.is_first(&("team", name)) {
        tracing::warn!(
            team = name,
            consumer = found.id,
            "a lookup named a team that the file does not have"
        );
    }
    team
}

/// A negotiated quota; `None` when the file has no such policy or the quota is wrong.
fn negotiated(
    one: &FoundOverride,
    consumer: &str,
    settings: &Settings,
    told: &Marks,
) -> Option<Override> {
    let allowance = match settings.policy(&one.policy) {
        Some(policy) => policy
            .negotiated(&one.quota)
            .map_err(|error| error.to_string()),
        None => Err("the file has no such policy".to_owned()),
    };
    match allowance {
        Ok(allowance) => Some(Override {
            policy: one.policy.clone(),
            allowance,
            from: one.from,
            until: one.until,
            reason: one.reason.clone(),
        }),
        Err(error) => {
            if told.is_first(&("override", consumer, &one.policy, &one.quota)) {
                tracing::warn!(
                    consumer,
                    policy = one.policy,
                    quota = one.quota,
                    "an override that was looked up is left out: {error}"
                );
            }
            None
        }
    }
}
