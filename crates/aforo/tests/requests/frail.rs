//! A store that has to be waited for, and that can be switched off.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aforo::ManualClock;
use aforo::store::{Answer, Batch, Charged, MemoryStore, Receipt, Store, StoreError};

/// A store that can be switched off, and that answers only when it is polled again.
pub(crate) struct Frail {
    pub(crate) inner: MemoryStore<ManualClock>,
    pub(crate) down: Arc<AtomicBool>,
}

impl Frail {
    fn answer<'a, T: Send + Unpin + 'a>(&'a self, answer: Answer<'a, T>) -> Answer<'a, T> {
        let down = self.down.load(Ordering::Relaxed);
        Answer::waiting(async move {
            tokio::task::yield_now().await;
            if down {
                return Err(StoreError::Timeout);
            }
            answer.await
        })
    }
}

impl Store for Frail {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        if self.down.load(Ordering::Relaxed) {
            return Answer::waiting(async { Err(StoreError::Timeout) });
        }
        self.answer(self.inner.charge(batch))
    }

    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        self.answer(self.inner.peek(batch))
    }

    fn refund(&self, receipt: Receipt) -> Answer<'_, ()> {
        self.answer(self.inner.refund(receipt))
    }

    fn settle<'a>(
        &'a self,
        receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()> {
        self.answer(self.inner.settle(receipt, true_cost))
    }

    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()> {
        self.answer(self.inner.reset(batch))
    }
}
