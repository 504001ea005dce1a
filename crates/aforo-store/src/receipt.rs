//! What is needed to give charges back.

use aforo_core::{PartitionHash, PrincipalKind, Quota, Taken};
use smallvec::SmallVec;

/// Proof of charges that were taken. It works once: giving back or settling consumes it.
#[derive(Debug, Default)]
pub struct Receipt {
    lines: SmallVec<[ReceiptLine; 4]>,
    /// For a store that keeps counters by principal: those of the batch's charges.
    principals: Option<Box<[PartitionHash]>>,
    /// For a leased store: which lines were spent from which lease, by place.
    leased: Option<Box<[(usize, u64)]>>,
}

/// One charge of a receipt.
#[derive(Clone, Copy, Debug)]
pub struct ReceiptLine {
    /// The place of the charge in its batch.
    pub place: usize,
    /// The tag of the policy's name.
    pub tag: u64,
    /// The kind of its principal.
    pub kind: PrincipalKind,
    /// Its partition key.
    pub partition: PartitionHash,
    /// The quota it was charged to.
    pub quota: Quota,
    /// When and in which window.
    pub taken: Taken,
    /// Whether it was taken from a counter that several partition keys share (a memory store
    /// that is full); what is given back goes there only then.
    pub shared: bool,
}

impl Receipt {
    /// A receipt for nothing.
    pub fn empty() -> Self {
        Self::default()
    }

    /// A receipt that knows the principals of its batch, by place.
    pub fn of_principals(principals: impl IntoIterator<Item = PartitionHash>) -> Self {
        Self {
            principals: Some(principals.into_iter().collect()),
            ..Self::default()
        }
    }

    /// The same receipt, knowing the principals of its batch.
    pub(crate) fn with_principals(
        mut self,
        principals: impl IntoIterator<Item = PartitionHash>,
    ) -> Self {
        self.principals = Some(principals.into_iter().collect());
        self
    }

    /// The principal of the charge at a place in the batch, where the receipt knows them.
    pub fn principal(&self, place: usize) -> Option<PartitionHash> {
        self.principals.as_deref()?.get(place).copied()
    }

    /// The same receipt, of which some lines were spent from a lease.
    pub(crate) fn with_leases(mut self, leases: impl IntoIterator<Item = (usize, u64)>) -> Self {
        self.leased = Some(leases.into_iter().collect());
        self
    }

    /// The lease that the charge at a place in the batch was spent from.
    pub(crate) fn lease(&self, place: usize) -> Option<u64> {
        let leased = self.leased.as_deref()?;
        leased
            .iter()
            .find_map(|(spent, lease)| (*spent == place).then_some(*lease))
    }

    /// Its lines, to be changed.
    pub(crate) fn lines_mut(&mut self) -> &mut [ReceiptLine] {
        &mut self.lines
    }

    /// Adds a line.
    pub fn push(&mut self, line: ReceiptLine) {
        self.lines.push(line);
    }

    /// Its lines.
    pub fn lines(&self) -> &[ReceiptLine] {
        &self.lines
    }

    /// Keeps the lines of some charges only, by their place in the batch.
    pub fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        self.lines.retain(|line| keep(line.place));
    }
}
