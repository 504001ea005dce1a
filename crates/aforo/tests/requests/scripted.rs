//! A shared store that does what a test tells it, and counts what it is asked.

use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use aforo::ManualClock;
use aforo::store::{Answer, Batch, Charged, MemoryStore, Receipt, Store, StoreError};

/// What the store does with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Answer,
    Freeze,
    Refuse,
    Differ,
}

/// Answers from memory, on a clock that is moved by hand.
#[derive(Clone)]
pub(crate) struct Scripted {
    inner: Arc<MemoryStore<ManualClock>>,
    does: Arc<Mutex<Does>>,
    asked: Arc<AtomicU64>,
}

impl Scripted {
    pub(crate) fn new(clock: &ManualClock) -> Self {
        Self {
            inner: Arc::new(MemoryStore::builder().clock(clock.clone()).build()),
            does: Arc::new(Mutex::new(Does::Answer)),
            asked: Arc::default(),
        }
    }

    pub(crate) fn does(&self, does: Does) {
        *self.does.lock().unwrap() = does;
    }

    /// How many questions it had since the last call.
    pub(crate) fn asked(&self) -> u64 {
        self.asked.swap(0, Ordering::Relaxed)
    }

    fn answer<'a, T: Send + Unpin + 'a>(
        &'a self,
        answer: impl FnOnce() -> Answer<'a, T>,
    ) -> Answer<'a, T> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let does = *self.does.lock().unwrap();
        let answer = (does == Does::Answer).then(answer);
        Answer::waiting(async move {
            tokio::task::yield_now().await;
            match (does, answer) {
                (_, Some(answer)) => answer.await,
                (Does::Freeze, None) => pending().await,
                (Does::Differ, None) => Err(StoreError::HashKeyDiffers),
                (_, None) => Err(StoreError::Unavailable("connection refused".to_owned())),
            }
        })
    }
}

impl Store for Scripted {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        self.answer(|| self.inner.charge(batch))
    }

    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        self.answer(|| self.inner.peek(batch))
    }

    fn refund(&self, receipt: Receipt) -> Answer<'_, ()> {
        self.answer(|| self.inner.refund(receipt))
    }

    fn settle<'a>(
        &'a self,
        receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()> {
        self.answer(|| self.inner.settle(receipt, true_cost))
    }

    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()> {
        self.answer(|| self.inner.reset(batch))
    }
}
