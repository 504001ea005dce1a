//! What is valid in a file, and yet likely not meant.

use std::collections::BTreeMap;
use std::sync::Arc;

use aforo_policy::{OnStoreFailure, Part, Policy, ProxyTrust, Settings};

/// What is valid in the file, and yet likely not meant, each in a sentence or two.
pub(crate) fn findings(settings: &Settings) -> Vec<String> {
    let mut findings = Vec::new();
    findings.extend(shared_by_nobody(settings));
    findings.extend(shares_unknown(settings));
    findings.extend(everybody_is_trusted(settings));
    findings.extend(targets(settings));
    findings.extend(nothing_is_limited(settings));
    findings
}

/// Counters in one process's memory, in front of callers from outside.
pub(crate) fn shared_by_nobody(settings: &Settings) -> Option<String> {
    let gateway = settings.gateway.as_ref()?;
    let store = settings.stores.get("default")?;
    let is_alone = store.instances == Some(1);
    let is_outside = !gateway.listen.ip().to_canonical().is_loopback();
    (is_outside && !store.url.is_shared() && !is_alone).then(|| {
        format!(
            "the gateway listens on {} and counts in its own memory: a second instance would \
             count apart. Write `instances = 1` in [stores.default] if there is only this one",
            gateway.listen
        )
    })
}

/// Shared stores whose failure makes each instance count a share of nobody knows how many.
fn shares_unknown(settings: &Settings) -> impl Iterator<Item = String> {
    let stores = settings.stores.iter().filter(|(_, store)| {
        let local = store.on_store_failure == OnStoreFailure::Local;
        store.url.is_shared() && local && store.instances.is_none()
    });
    stores.map(|(name, _)| {
        format!(
            "while the store `{name}` fails, every instance counts whole quotas by itself. Write \
             how many there are as `instances` in [stores.{name}], and each counts its share"
        )
    })
}

fn everybody_is_trusted(settings: &Settings) -> Option<String> {
    let ProxyTrust::Networks(networks) = &settings.identity.trust else {
        return None;
    };
    let everybody = networks.iter().find(|network| network.prefix_len() == 0)?;
    Some(format!(
        "`trusted_proxies` holds {everybody}: any caller may name any address as its own. Name the \
         networks of your proxies instead"
    ))
}

/// A policy per target account can by nature be used against that account.
fn targets(settings: &Settings) -> Vec<String> {
    let mut policies: BTreeMap<&str, &Arc<Policy>> = BTreeMap::new();
    for policy in routed(settings) {
        policies.insert(policy.name.as_str(), policy);
    }
    let is_target = |part: &Part| matches!(part, Part::Body(_) | Part::Form(_));
    let by_target = |policy: &&Arc<Policy>| {
        let mut parts = policy.partition_by.iter();
        let knows_devices = policy.exempt_cookie.is_some();
        parts.all(|part| part.0.iter().any(is_target))
            && !policy.partition_by.is_empty()
            && !knows_devices
    };
    policies
        .into_values()
        .filter(by_target)
        .map(|policy| {
            format!(
                "policy {} counts by what the request names and not by who asks: a stranger can use \
                 it up for somebody else. With exempt_cookie, devices that are known get in",
                policy.name.as_str()
            )
        })
        .collect()
}

fn nothing_is_limited(settings: &Settings) -> Option<String> {
    let plans = settings.plans.values().flat_map(|plan| &plan.policies);
    let teams = settings.teams.values().flat_map(|team| &team.policies);
    let limits = |policy: &Arc<Policy>| {
        let rest = policy.allowance.iter().chain(policy.by_plan.values());
        rest.into_iter()
            .any(|allowance| !matches!(allowance, aforo_policy::Allowance::Unlimited))
    };
    let descriptors = settings.descriptors.iter().flat_map(|one| &one.policies);
    let mut all = plans
        .chain(teams)
        .chain(descriptors)
        .chain(routed(settings))
        .chain(&settings.edge);
    (!all.any(limits)).then(|| "no policy of this file limits anything".to_owned())
}

/// The policies of groups and routes, and those that are named.
fn routed(settings: &Settings) -> impl Iterator<Item = &Arc<Policy>> {
    let groups = settings.groups.iter().flat_map(|group| &group.policies);
    let routes = settings.routes.iter().flat_map(|route| &route.policies);
    groups.chain(routes)
}
