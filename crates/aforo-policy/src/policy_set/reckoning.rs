//! A request that is about to be charged.

use aforo_core::Mode;

use super::applicable::{any, try_each};
use super::{counts_by_body, may_limit};
use crate::charges::{Sum, price};
use crate::{Caller, Charges, CostFrom, Matched, Policy, Refusal};

/// A request that is about to be charged.
#[derive(Debug)]
pub struct Reckoning<'r, 'a> {
    sum: Sum<'r, 'a>,
    matched: &'r Matched<'a>,
    bodies: Bodies,
    /// The cost that somebody told, whatever the route says.
    told_cost: Option<u64>,
}

/// Which policies are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bodies {
    /// All.
    Read,
    /// Those that do not count by the body.
    Unread,
}

impl<'r, 'a> Reckoning<'r, 'a> {
    pub(super) const fn new(sum: Sum<'r, 'a>, matched: &'r Matched<'a>) -> Self {
        Self {
            sum,
            matched,
            bodies: Bodies::Read,
            told_cost: None,
        }
    }

    /// The request costs so much, whatever its route says. Policies with a cost of their own keep it.
    #[must_use]
    pub fn at_cost(self, cost: u64) -> Self {
        Self {
            told_cost: Some(cost),
            ..self
        }
    }

    /// Leaves out the policies that count by the body.
    #[must_use]
    pub fn without_body(self) -> Self {
        Self {
            bodies: Bodies::Unread,
            ..self
        }
    }

    /// Whoever makes the request.
    pub const fn caller(&self) -> &'a Caller {
        self.sum.caller
    }

    /// Adds what the request is to be charged.
    ///
    /// # Errors
    /// A [`Refusal`] is answered at once; the charges added before it mean nothing.
    pub fn add_to(&self, charges: &mut Charges<'a>) -> Result<(), Refusal> {
        let (matched, caller) = (self.matched, self.sum.caller);
        require_plan(matched, caller)?;
        if matched.is_exempt() {
            return Ok(());
        }
        if let Some(cost) = self.told_cost {
            let sum = Sum {
                cost,
                ..self.sum.clone()
            };
            return self.add_all(&sum, charges);
        }
        if let Some(from) = matched.route.and_then(|route| route.cost_from.as_ref()) {
            let sum = self.priced(from)?;
            charges.operations = from.reads_operations().then_some(sum.cost);
            return self.add_all(&sum, charges);
        }
        self.add_all(&self.sum, charges)
    }

    /// The same sum at the cost that the request says. Where no policy that may deny takes it, a
    /// request that says none is not refused.
    fn priced(&self, from: &CostFrom) -> Result<Sum<'r, 'a>, Refusal> {
        let facts = self.sum.origin.facts;
        let price = facts.map_or(Ok(from.least()), |facts| price(from, facts));
        let cost = match price {
            Err(refusal) if from.reads_operations() || self.is_priced() => return Err(refusal),
            price => price.unwrap_or_else(|_| from.least()),
        };
        Ok(Sum {
            cost,
            ..self.sum.clone()
        })
    }

    /// Whether a policy that may deny takes the request's cost.
    fn is_priced(&self) -> bool {
        let (caller, place) = (self.sum.caller, self.sum.place);
        any(self.matched, caller, |one| {
            let policy = one.policy;
            takes_request_cost(policy)
                && policy.mode == Mode::Enforce
                && policy.at.hold(place)
                && may_limit(policy, caller)
        })
    }

    fn add_all(&self, sum: &Sum<'_, 'a>, charges: &mut Charges<'a>) -> Result<(), Refusal> {
        try_each(self.matched, self.sum.caller, |one| {
            if self.bodies == Bodies::Unread && counts_by_body(one.policy) {
                return Ok(());
            }
            sum.add(charges, one.scope, one.policy, one.group)
        })
    }
}

/// Whether a policy takes what the request costs, and no cost of its own.
pub(super) const fn takes_request_cost(policy: &Policy) -> bool {
    policy.cost.is_none()
}

/// Refuses a caller whose plan the route does not take.
fn require_plan(matched: &Matched<'_>, caller: &Caller) -> Result<(), Refusal> {
    let plans = matched.route.map_or([].as_slice(), |route| &route.plans);
    let held = caller.plan.as_ref().map(|plan| &plan.name);
    if plans.is_empty() || held.is_some_and(|held| plans.contains(held)) {
        return Ok(());
    }
    Err(Refusal::PlanRequired {
        plans: plans.to_vec(),
    })
}
