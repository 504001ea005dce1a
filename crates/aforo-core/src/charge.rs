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

/// The first part of a partition key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    /// Who can make up partition keys like this one.
    pub kind: PrincipalKind,
    /// Its keyed hash.
    pub hash: PartitionHash,
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
