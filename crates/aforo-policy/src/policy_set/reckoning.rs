//! A request that is about to be charged.

use super::applicable::applicable;
use super::counts_by_body;
use crate::charges::Sum;
use crate::{Caller, Charges, Matched, Refusal};

/// A request that is about to be charged.
#[derive(Debug)]
pub struct Reckoning<'r, 'a> {
    sum: Sum<'r, 'a>,
    matched: &'r Matched<'a>,
    bodies: Bodies,
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
        for one in applicable(matched, caller) {
            if self.bodies == Bodies::Read || !counts_by_body(one.policy) {
                self.sum.add(charges, one.scope, one.policy, one.group)?;
            }
        }
        Ok(())
    }
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
