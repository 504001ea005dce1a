//! The charges of one request.

use aforo_core::{Charge, Mode, OnDenial, Outcome};
use smallvec::SmallVec;

use crate::Receipt;

/// The charges of one request, each policy and partition key once.
#[derive(Clone, Debug, Default)]
pub struct Batch<'a> {
    charges: SmallVec<[Charge<'a>; 4]>,
}

/// The charges of one request where they stand, each policy and partition key once: what a memory
/// store takes without copies.
#[derive(Clone, Debug, Default)]
pub struct Distinct<'a> {
    charges: SmallVec<[&'a Charge<'a>; 4]>,
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
        let found = self
            .charges
            .iter_mut()
            .enumerate()
            .find(|(_, held)| is_same(held, &charge));
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

impl<'a> Distinct<'a> {
    /// None.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a charge and says where its outcome will stand; `None`, and nothing is added, when its
    /// policy and partition key are there already. Those are for a [`Batch`].
    #[inline]
    pub fn push(&mut self, charge: &'a Charge<'a>) -> Option<usize> {
        if self.charges.iter().any(|held| is_same(held, charge)) {
            return None;
        }
        let place = self.charges.len();
        self.charges.push(charge);
        Some(place)
    }

    /// The charges, in order.
    #[inline]
    pub fn charges(&self) -> &[&'a Charge<'a>] {
        &self.charges
    }
}

impl<'a> From<&'a Batch<'_>> for Distinct<'a> {
    #[inline]
    fn from(batch: &'a Batch<'_>) -> Self {
        let mut distinct = Self::new();
        for charge in &batch.charges {
            distinct.charges.push(charge);
        }
        distinct
    }
}

/// Whether two charges count by one policy and partition key.
#[inline]
fn is_same(one: &Charge<'_>, other: &Charge<'_>) -> bool {
    one.partition == other.partition && one.terms.tag() == other.terms.tag()
}

#[cfg(test)]
mod tests {
    use aforo_core::{PartitionHash, PolicyName, Principal, Quota, Span, Terms};

    use super::*;

    fn terms(name: &str) -> Terms {
        let quota = Quota::token_bucket(10, Span::from_seconds(60), None).unwrap();
        Terms::new(PolicyName::new(name).unwrap(), quota)
    }

    #[test]
    fn the_same_policy_and_partition_key_is_distinct_only_once() {
        let (one, two) = (terms("one"), terms("two"));
        let of = |terms, key| Charge::new(terms, Principal::known(PartitionHash(key)), 1);
        let charges = [of(&one, 1), of(&two, 1), of(&one, 2), of(&one, 1)];
        let mut distinct = Distinct::new();
        let places = charges.each_ref().map(|charge| distinct.push(charge));
        assert_eq!(places, [Some(0), Some(1), Some(2), None]);
        assert_eq!(distinct.charges().len(), 3);
    }
}
