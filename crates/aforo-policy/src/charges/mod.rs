//! What a request is to be charged.

mod allowance;
mod place;
mod price;
mod remembered;
mod sum;

use aforo_core::Charge;
use smallvec::SmallVec;
use thiserror::Error;

use crate::{Metered, Policy};

pub(crate) use allowance::{counts_consumers_apart, planned};
pub(crate) use price::price;
pub(crate) use sum::Sum;

/// What a request is to be charged, in this order: plan, team, groups, route.
#[derive(Debug, Default)]
pub struct Charges<'a> {
    /// Policies that block outright or are metered.
    pub planned: SmallVec<[PlannedCharge<'a>; 6]>,
    /// What its GraphQL operations cost, where the route's cost is theirs.
    pub operations: Option<u64>,
}

/// One policy that applies.
#[derive(Debug)]
pub struct PlannedCharge<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// Why it applies.
    pub scope: Scope,
    /// Its quota for the caller; `None` when it is 0.
    pub metered: Option<&'a Metered>,
    /// What it asks for.
    pub planned: Planned<'a>,
}

/// Why a policy applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// It stands in `edge`.
    Edge,
    /// The caller's plan has it.
    Plan,
    /// The caller's team has it.
    Team,
    /// A group that matches has it.
    Group,
    /// The route has it.
    Route,
    /// It was called by name.
    Name,
    /// A descriptor has it.
    Descriptor,
}

/// What a policy asks for.
#[derive(Debug)]
pub enum Planned<'a> {
    /// Quota 0: deny without asking a store.
    Blocked,
    /// A charge for the policy's store.
    Charge(Charge<'a>),
}

/// A request that is refused before anything is charged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// 400: a part that a policy counts by is absent.
    #[error("the request lacks {part}, which policy {policy} counts by")]
    MissingPart {
        /// The policy.
        policy: String,
        /// The part as the file writes it.
        part: String,
    },
    /// 400: a field that a policy counts by is there twice.
    #[error("the request has {part} more than once")]
    DuplicatePart {
        /// The part as the file writes it.
        part: String,
    },
    /// 415: the body cannot be decoded or is of another media type.
    #[error("the request's body cannot be read as {expected}")]
    UnreadableBody {
        /// What was expected.
        expected: String,
    },
    /// 400, 403, 415 or 422: a GraphQL request that is not to be executed.
    #[cfg(feature = "graphql")]
    #[error(transparent)]
    GraphQl(#[from] crate::graphql::Fault),
    /// 403: the route is for other plans.
    #[error("this route takes one of the plans {plans:?}")]
    PlanRequired {
        /// The plans that may use it.
        plans: Vec<String>,
    },
}
