//! One charge on its way through the memory store.

use aforo_core::{Algorithm, Charge, Edges, Mode, OnDenial, PartitionHash, PrincipalKind, Quota};

use super::address::Address;
use super::logs::LogKey;

/// What the store looks at in a charge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat<'a> {
    /// The tag of the policy's name.
    pub(super) policy: u64,
    pub(super) quota: &'a Quota,
    pub(super) kind: PrincipalKind,
    pub(super) partition: PartitionHash,
    pub(super) address: Address,
    pub(super) cost: u64,
    pub(super) mode: Mode,
    pub(super) on_denial: OnDenial,
    pub(super) edges: Option<&'a Edges>,
}

impl<'a> Seat<'a> {
    #[inline]
    pub(super) fn of(charge: &'a Charge<'_>) -> Self {
        let policy = charge.terms.tag();
        Self {
            policy,
            quota: charge.terms.quota(),
            kind: charge.principal.kind,
            partition: charge.partition,
            address: Address::new(policy, charge.partition),
            cost: charge.cost,
            mode: charge.mode,
            on_denial: charge.on_denial,
            edges: charge.edges.as_ref(),
        }
    }

    /// What its log is found by.
    pub(super) fn log_key(&self) -> LogKey {
        LogKey {
            kind: self.kind,
            policy: self.policy,
            partition: self.partition,
        }
    }

    /// Whether it is counted by a log rather than an entry.
    pub(super) fn is_logged(&self) -> bool {
        self.quota.algorithm() == Algorithm::SlidingLog
    }
}
