//! The charges of one request.

use aforo_core::{Charge, Mode, OnDenial, Outcome};
use smallvec::SmallVec;

use crate::Receipt;

/// The charges of one request, each policy and partition key once.
#[derive(Clone, Debug, Default)]
pub struct Batch<'a> {
    charges: SmallVec<[Charge<'a>; 4]>,
}

/// What a store did with a batch.
#[derive(Debug)]
pub struct Charged {
    /// Whether the charges were taken.
    pub taken: bool,
    /// One outcome per charge, in the batch's order.
    pub outcomes: SmallVec<[Outcome; 4]>,
    /// What is needed to give back or settle.
    pub receipt: Receipt,
}

impl Charged {
    /// What a batch without charges comes to.
    pub(crate) fn nothing() -> Self {
        Self {
            taken: true,
            outcomes: SmallVec::new(),
            receipt: Receipt::empty(),
        }
    }
}

impl<'a> Batch<'a> {
    /// A batch without charges.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a charge and says where its outcome will stand. The same policy and partition key
    /// named again counts once, at the larger cost; it is enforced if either is, and counts
    /// denials if either does.
    #[inline]
    pub fn push(&mut self, charge: Charge<'a>) -> usize {
        self.join(charge, u64::max)
    }

    /// Adds a charge; the same policy and partition key named again is added up, as the
    /// descriptors of the Envoy protocol are.
    pub fn push_summed(&mut self, charge: Charge<'a>) -> usize {
        self.join(charge, u64::saturating_add)
    }

    #[inline]
    fn join(&mut self, charge: Charge<'a>, costs: impl Fn(u64, u64) -> u64) -> usize {
        let same = |held: &Charge<'_>| {
            held.partition == charge.partition && held.terms.tag() == charge.terms.tag()
        };
        let found = self
            .charges
            .iter_mut()
            .enumerate()
            .find(|(_, held)| same(held));
        if let Some((place, held)) = found {
            held.cost = costs(held.cost, charge.cost);
            if charge.mode == Mode::Enforce {
                held.mode = Mode::Enforce;
            }
            if charge.on_denial == OnDenial::Take {
                held.on_denial = OnDenial::Take;
            }
            return place;
        }
        self.charges.push(charge);
        self.charges.len().saturating_sub(1)
    }

    /// The charges, in order.
    pub fn charges(&self) -> &[Charge<'a>] {
        &self.charges
    }
}
