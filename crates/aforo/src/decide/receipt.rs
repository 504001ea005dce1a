//! What it takes to give back what a decision took.

use std::sync::Arc;

use crate::setup::Setup;
use crate::taking::Receipts;

/// What it takes to give back what a decision took: single use, good also after a reload. Dropped,
/// it gives nothing back.
pub struct Receipt {
    setup: Arc<Setup>,
    receipts: Receipts,
}

impl Receipt {
    pub(crate) fn new(setup: &Arc<Setup>, receipts: Receipts) -> Self {
        let setup = Arc::clone(setup);
        Self { setup, receipts }
    }

    /// Gives everything back, as far as it has not flowed back by itself.
    pub async fn refund(self) {
        let observer = &*self.setup.fixed.observer;
        self.receipts.refund(&self.setup.stores, observer).await;
    }
}

impl std::fmt::Debug for Receipt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Receipt")
            .field("receipts", &self.receipts)
            .finish_non_exhaustive()
    }
}
