//! What every store can do.

use crate::{Answer, Batch, Charged, Receipt};

/// Keeps the counters. Every store decides identically on the same sequence of times and batches.
pub trait Store: Send + Sync {
    /// Takes every enforced charge of the batch or none; shadow charges are taken when they fit
    /// and the batch is taken; charges that count denials are filled up when it is not.
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged>;

    /// What [`Store::charge`] would answer; takes nothing.
    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged>;

    /// Gives everything on the receipt back, computed by the quotas it was charged to.
    fn refund(&self, receipt: Receipt) -> Answer<'_, ()>;

    /// Corrects each line of the receipt to its true cost: gives the rest back, or takes more up
    /// to the capacity. A fixed window is corrected while it lasts; a line whose policy is kept
    /// in another shape by now is left alone. `true_cost` is asked by place in the batch.
    fn settle<'a>(
        &'a self,
        receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()>;

    /// Makes the counters of these charges neutral.
    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()>;
}
