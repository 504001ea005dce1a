//! What a policy allows a caller.

use aforo_core::Timestamp;

use crate::{Allowance, Caller, Consumer, Override, Part, Policy};

/// What a policy allows a caller; `None` when it does not apply to it.
pub(crate) fn allowance<'a>(
    policy: &'a Policy,
    caller: &'a Caller,
    now: Timestamp,
) -> Option<&'a Allowance> {
    let consumer = caller.consumer.as_deref();
    let negotiated = consumer.and_then(|consumer| negotiated(policy, consumer, now));
    negotiated.or_else(|| planned(policy, caller))
}

/// Whether the allowance is one that the caller's plan has for itself.
pub(crate) fn is_by_plan(policy: &Policy, caller: &Caller) -> bool {
    let plan = caller.plan.as_ref();
    plan.is_some_and(|plan| policy.by_plan.contains_key(&plan.name))
}

/// Whether each consumer has a counter of its own, so that it can have a quota of its own.
pub(crate) fn counts_consumers_apart(policy: &Policy) -> bool {
    policy.partition_by.is_empty()
        || policy.partition_by.iter().any(|alternatives| {
            matches!(alternatives.0.first(), Some(Part::Caller | Part::Consumer))
        })
}

/// The same without overrides.
pub(crate) fn planned<'a>(policy: &'a Policy, caller: &Caller) -> Option<&'a Allowance> {
    let plan = caller.plan.as_ref();
    plan.and_then(|plan| policy.by_plan.get(&plan.name))
        .or(policy.allowance.as_ref())
}

/// The consumer's own quota for this policy. A counter that several share keeps its quota:
/// consumers that count it by different numbers would each spoil it for the others.
fn negotiated<'a>(
    policy: &Policy,
    consumer: &'a Consumer,
    now: Timestamp,
) -> Option<&'a Allowance> {
    if consumer.overrides.is_empty() || policy.share.is_some() || !counts_consumers_apart(policy) {
        return None;
    }
    consumer
        .overrides
        .iter()
        .find(|one| one.policy == policy.name.as_str() && holds(one, now))
        .map(|one| &one.allowance)
}

fn holds(one: &Override, now: Timestamp) -> bool {
    one.from.is_none_or(|from| from <= now) && one.until.is_none_or(|until| now < until)
}
