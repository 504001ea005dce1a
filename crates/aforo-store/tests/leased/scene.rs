//! Instances with leases over one shared store, which memory stands for.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use aforo_core::{Charge, HashKey, PolicyName, Principal, Quota, Span, Terms, Timestamp};
use aforo_store::{Answer, Batch, Charged, LeasedStore, ManualClock, MemoryStore, Store};

/// Some instances, the store that they share, and the time.
pub(crate) struct Scene {
    pub(crate) clock: ManualClock,
    pub(crate) shared: Arc<MemoryStore<ManualClock>>,
    pub(crate) instances: Vec<LeasedStore>,
}

impl Scene {
    pub(crate) fn new(instances: usize) -> Self {
        let clock = ManualClock::at(Timestamp::from_seconds(1_000_000));
        let shared = Arc::new(MemoryStore::builder().clock(clock.clone()).build());
        let instances = (0..instances)
            .map(|_| LeasedStore::new(shared.clone(), Arc::new(clock.clone())))
            .collect();
        Self {
            clock,
            shared,
            instances,
        }
    }

    pub(crate) fn millis(&self, millis: u64) {
        self.clock.advance(Span::from_millis(millis));
    }

    /// Charges an instance.
    pub(crate) fn charge(&self, instance: usize, terms: &Terms, cost: u64) -> Charged {
        done(self.instances[instance].charge(&batch(&[terms], cost)))
    }

    /// Whether an instance admits.
    pub(crate) fn admits(&self, instance: usize, terms: &Terms, cost: u64) -> bool {
        self.charge(instance, terms, cost).taken
    }

    /// What the shared store says remains.
    pub(crate) fn remaining(&self, terms: &Terms) -> u64 {
        done(self.shared.peek(&batch(&[terms], 0))).outcomes[0].remaining
    }
}

/// The answer of stores that never wait.
pub(crate) fn done<T: Unpin>(answer: Answer<'_, T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(answer).poll(&mut context) {
        Poll::Ready(answer) => answer.unwrap(),
        Poll::Pending => panic!("memory never waits"),
    }
}

pub(crate) fn terms(name: &str, quota: Quota) -> Terms {
    Terms::new(PolicyName::new(name).unwrap(), quota)
}

/// A batch of one consumer.
pub(crate) fn batch<'a>(policies: &[&'a Terms], cost: u64) -> Batch<'a> {
    let hash = HashKey::new([1, 2]).hash(b"consumer");
    let mut batch = Batch::new();
    for terms in policies {
        batch.push(Charge::new(terms, Principal::known(hash), cost));
    }
    batch
}

/// `amount` in so many seconds, so many at once.
pub(crate) fn bucket(amount: u64, seconds: u64, burst: u64) -> Terms {
    let quota = Quota::token_bucket(amount, Span::from_seconds(seconds), Some(burst));
    terms("bucket", quota.unwrap())
}

pub(crate) fn fixed(amount: u64, seconds: u64) -> Terms {
    let window = aforo_core::Window::Length(Span::from_seconds(seconds));
    terms("fixed", Quota::fixed_window(amount, window).unwrap())
}

pub(crate) fn sliding(amount: u64, seconds: u64) -> Terms {
    let quota = Quota::sliding_window(amount, Span::from_seconds(seconds));
    terms("sliding", quota.unwrap())
}
