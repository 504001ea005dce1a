//! What a store is asked to take.

use crate::{Edges, PartitionHash, Terms};

/// One policy, one partition key, one cost.
#[derive(Clone, Copy, Debug)]
pub struct Charge<'a> {
    /// The policy's name and quota.
    pub terms: &'a Terms,
    /// Who is behind the partition key: decides where a store keeps the counter.
    pub principal: Principal,
    /// The keyed hash of the whole partition key (its first part is the principal).
    pub partition: PartitionHash,
    /// The consumer's id, where there is one, for stores that keep it in the clear.
    pub subject: Option<&'a str>,
    /// Units to take.
    pub cost: u64,
    /// Whether this charge can deny.
    pub mode: Mode,
    /// Whether a denial takes quota.
    pub on_denial: OnDenial,
    /// The calendar edges around now, for a calendar window.
    pub edges: Option<Edges>,
}

impl<'a> Charge<'a> {
    /// An enforced charge of `cost` units that is counted by the principal alone, and takes
    /// nothing when it is denied. It names no consumer and no calendar edges.
    ///
    /// ```
    /// use aforo_core::{Charge, HashKey, PolicyName, Principal, Quota, Span, Terms};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let quota = Quota::sliding_window(60, Span::from_seconds(60))?;
    /// let terms = Terms::new(PolicyName::new("per-address")?, quota);
    /// let address = HashKey::new([0x1f2e_3d4c, 0x5b6a_7988]).hash(&[192, 0, 2, 1]);
    /// let charge = Charge::new(&terms, Principal::stranger(address), 1);
    /// assert_eq!(charge.partition, address);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[must_use]
    pub const fn new(terms: &'a Terms, principal: Principal, cost: u64) -> Self {
        Self {
            terms,
            principal,
            partition: principal.hash,
            subject: None,
            cost,
            mode: Mode::Enforce,
            on_denial: OnDenial::Keep,
            edges: None,
        }
    }
}

/// The first part of a partition key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    /// Who can make up partition keys like this one.
    pub kind: PrincipalKind,
    /// Its keyed hash.
    pub hash: PartitionHash,
}

impl Principal {
    /// One that nobody can make up.
    #[inline]
    #[must_use]
    pub const fn known(hash: PartitionHash) -> Self {
        Self {
            kind: PrincipalKind::Known,
            hash,
        }
    }

    /// One that whoever sends the request can make up.
    #[inline]
    #[must_use]
    pub const fn stranger(hash: PartitionHash) -> Self {
        Self {
            kind: PrincipalKind::Stranger,
            hash,
        }
    }
}

/// Who can make up partition keys like this one, which decides where their counters are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrincipalKind {
    /// Nobody: all its parts are known names (a consumer, a team, a route, everyone), bounded by
    /// what the operator set up.
    Known,
    /// Whoever sends the request: a part is an address, an account in a body, a header's value.
    Stranger,
}

/// Whether a charge is enforced or only watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A charge that does not fit denies the request.
    #[default]
    Enforce,
    /// A charge that does not fit is reported and denies nothing.
    Shadow,
}

/// What a denial of the request does to this charge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnDenial {
    /// A denied request takes nothing.
    #[default]
    Keep,
    /// A denied request takes what fits, up to the capacity: for policies that count denials.
    Take,
}
