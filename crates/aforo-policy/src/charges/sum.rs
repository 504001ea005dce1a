//! From policies that apply to what a request is to be charged.

use std::cell::OnceCell;
use std::sync::Arc;

use aforo_core::{Charge, HashKey, Mode, OnDenial, Timestamp};

use super::allowance::{allowance, counts_consumers_apart, is_by_plan};
use super::{Charges, Planned, PlannedCharge, Refusal, Scope, remembered};
use crate::partition::{Encoding, Origin, Partition, Tag};
use crate::policy_set::Calendars;
use crate::{Allowance, Alternatives, Caller, Consumer, Metered, Part, Place, Policy, Template};

/// What all charges of a request have in common.
#[derive(Clone, Debug)]
pub(crate) struct Sum<'r, 'a> {
    pub(crate) origin: Origin<'r>,
    pub(crate) caller: &'a Caller,
    pub(crate) calendars: &'a Calendars,
    pub(crate) place: Place,
    pub(crate) now: Timestamp,
    pub(crate) key: &'r HashKey,
    /// Units that the request takes.
    pub(crate) cost: u64,
    pub(crate) by_caller: OnceCell<Partition>,
}

/// What is left of an allowance that limits.
#[derive(Clone, Copy)]
enum Allowed<'a> {
    Nothing,
    Metered(&'a Metered),
}

impl<'a> Sum<'_, 'a> {
    /// Adds what a policy asks for. A shadow policy never refuses a request.
    pub(crate) fn add(
        &self,
        charges: &mut Charges<'a>,
        scope: Scope,
        policy: &'a Policy,
        group: Option<&Template>,
    ) -> Result<(), Refusal> {
        let here = policy.at.hold(self.place);
        let Some(allowed) = self.allowed(policy).filter(|_| here) else {
            return Ok(());
        };
        let partition = match self.partition(policy, group) {
            Err(_) if policy.mode == Mode::Shadow => None,
            partition => partition?,
        };
        if let Some(partition) = partition {
            self.push(charges, scope, policy, allowed, partition);
        }
        Ok(())
    }

    /// Adds what a policy that was called by name asks for, wherever it is enforced otherwise.
    pub(crate) fn add_partition(
        &self,
        charges: &mut Charges<'a>,
        scope: Scope,
        policy: &'a Policy,
        partition: Partition,
    ) {
        if let Some(allowed) = self.allowed(policy) {
            self.push(charges, scope, policy, allowed, partition);
        }
    }

    /// What the policy allows; `None` when it does not limit.
    fn allowed(&self, policy: &'a Policy) -> Option<Allowed<'a>> {
        match allowance(policy, self.caller, self.now)? {
            Allowance::Unlimited => None,
            Allowance::Blocked => Some(Allowed::Nothing),
            Allowance::Metered(metered) => Some(Allowed::Metered(metered)),
        }
    }

    fn push(
        &self,
        charges: &mut Charges<'a>,
        scope: Scope,
        policy: &'a Policy,
        allowed: Allowed<'a>,
        partition: Partition,
    ) {
        // Each in its own arm, so that a charge is put together where it is to stand.
        match allowed {
            Allowed::Nothing => charges.planned.push(PlannedCharge {
                policy,
                scope,
                metered: None,
                planned: Planned::Blocked,
            }),
            Allowed::Metered(metered) => charges.planned.push(PlannedCharge {
                policy,
                scope,
                metered: Some(metered),
                planned: Planned::Charge(self.charge(policy, metered, partition)),
            }),
        }
    }

    /// The partition of a policy; `None` when the policy does not apply.
    fn partition(
        &self,
        policy: &Policy,
        group: Option<&Template>,
    ) -> Result<Option<Partition>, Refusal> {
        let parts = policy.partition_by.as_slice();
        let by_caller = parts.first().is_none_or(starts_with_caller);
        if by_caller && parts.len() <= 1 {
            return Ok(Some(self.by_caller()));
        }
        if by_caller && let Some((consumer, label)) = self.consumer_in_route(policy) {
            let hashed = || {
                let mut encoding = Encoding::default();
                self.origin.push_caller(&mut encoding);
                encoding.push(Tag::Route, label);
                self.key.hash(encoding.as_bytes())
            };
            let partition = self.by_caller();
            let hash = remembered::in_route(consumer, self.key, label, hashed);
            return Ok(Some(Partition { hash, ..partition }));
        }
        let mut encoding = Encoding::default();
        if !self.origin.encode(policy, group, &mut encoding)? {
            return Ok(None);
        }
        self.push_plan(&mut encoding, policy);
        self.push_device(&mut encoding, policy, group);
        if by_caller {
            return Ok(Some(Partition {
                hash: self.key.hash(encoding.as_bytes()),
                ..self.by_caller()
            }));
        }
        Ok(Some(Partition::of(&encoding, self.key)))
    }

    /// The consumer and the route's label, where a policy counts each consumer in each route and by
    /// nothing else.
    fn consumer_in_route(&self, policy: &Policy) -> Option<(&'a Arc<Consumer>, &[u8])> {
        let counts_so = matches!(policy.partition_by.as_slice(), [_, second] if is_route(second));
        if !counts_so || policy.exempt_cookie.is_some() {
            return None;
        }
        self.caller.consumer.as_ref().zip(self.origin.route)
    }

    /// The caller's own partition, hashed once for all policies that count by it.
    fn by_caller(&self) -> Partition {
        *self.by_caller.get_or_init(|| {
            let hashed = || {
                let mut encoding = Encoding::default();
                self.origin.push_caller(&mut encoding);
                Partition::of(&encoding, self.key)
            };
            match &self.caller.consumer {
                Some(consumer) => remembered::alone(consumer, self.key, hashed),
                None => hashed(),
            }
        })
    }

    /// A quota of a plan on a counter that callers of several plans would share: each plan has
    /// its own, so that no counter is held to two quotas.
    fn push_plan(&self, encoding: &mut Encoding, policy: &Policy) {
        if let Some(plan) = &self.caller.plan
            && is_by_plan(policy, self.caller)
            && !counts_consumers_apart(policy)
        {
            encoding.push(Tag::Plan, plan.name.as_bytes());
        }
    }

    /// A device that is known for the account is counted apart, each by itself.
    fn push_device(&self, encoding: &mut Encoding, policy: &Policy, group: Option<&Template>) {
        let cookie = policy.exempt_cookie.as_deref();
        let device = cookie.and_then(|cookie| self.origin.known_device(cookie, group, self.now));
        if let Some(device) = device {
            encoding.push(Tag::Device, &device);
        }
    }

    /// Whose counter it is, when it is one consumer's.
    fn subject(&self, policy: &Policy) -> Option<&'a str> {
        let consumer = self.caller.consumer.as_ref();
        consumer
            .filter(|_| counts_consumers_apart(policy))
            .map(|one| one.id.as_str())
    }

    #[inline]
    pub(crate) fn charge(
        &self,
        policy: &Policy,
        metered: &'a Metered,
        partition: Partition,
    ) -> Charge<'a> {
        Charge {
            terms: &metered.terms,
            principal: partition.principal,
            partition: partition.hash,
            subject: self.subject(policy),
            cost: policy.cost.unwrap_or(self.cost),
            mode: policy.mode,
            on_denial: if policy.count_denials {
                OnDenial::Take
            } else {
                OnDenial::Keep
            },
            edges: self.calendars.edges(metered, self.now),
        }
    }
}

/// Whether a part is the route and nothing else.
const fn is_route(part: &Alternatives) -> bool {
    matches!(part.0.as_slice(), [Part::Route])
}

/// Whether a part is always the caller.
fn starts_with_caller(part: &Alternatives) -> bool {
    matches!(part.0.first(), Some(Part::Caller))
}
