//! Asking a shared store: never longer than its timeout, and not at all while it fails.

use std::sync::atomic::{AtomicUsize, Ordering};

use aforo_core::{Charge, HashKey, Outcome, PolicyName, Principal, Quota, Span, Terms, Timestamp};
use aforo_store::{Answer, Batch, StoreError};

use super::breaker::Breaker;
use super::near_cache::NearCache;
use super::outage::Outage;
use super::{NamedStore, StoreState};
use crate::Observer;

/// How many questions may be under way at once. A store that answers never has so many; one that
/// does not would gather them without bound.
const MOST_UNDER_WAY: usize = 4_096;

/// What is known of a shared store. A reload keeps it with the store.
#[derive(Debug, Default)]
pub(super) struct Guard {
    pub(super) breaker: Breaker,
    outage: Outage,
    near: NearCache,
    under_way: AtomicUsize,
}

/// A question under way.
struct UnderWay<'g>(&'g AtomicUsize);

impl<'g> UnderWay<'g> {
    fn begin(count: &'g AtomicUsize) -> Option<Self> {
        let begun = Self(count);
        (count.fetch_add(1, Ordering::Relaxed) < MOST_UNDER_WAY).then_some(begun)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl NamedStore {
    /// Asks the store. Memory answers at once. A shared store has its timeout, and while it fails
    /// it is not asked; what that means is told to the observer, and to the log now and then.
    pub(crate) async fn ask<'a, T: Unpin>(
        &'a self,
        observer: &dyn Observer,
        question: impl FnOnce(&'a dyn aforo_store::Store) -> Answer<'a, T>,
    ) -> Result<T, StoreError> {
        if self.is_immediate() {
            return question(self.store()).await;
        }
        let asked = if self.is_leased() {
            match question(self.store()) {
                // Spent from a lease: it says nothing about the store.
                Answer::Ready(answer) => return Answer::Ready(answer).await,
                waiting => self.ask_guarded(observer, |_| waiting).await,
            }
        } else {
            self.ask_guarded(observer, question).await
        };
        if let Err(error) = &asked {
            self.note_failure(error, observer);
        }
        asked
    }

    async fn ask_guarded<'a, T: Unpin>(
        &'a self,
        observer: &dyn Observer,
        question: impl FnOnce(&'a dyn aforo_store::Store) -> Answer<'a, T>,
    ) -> Result<T, StoreError> {
        let guard = self.guard();
        let patience = self.settings.timeout;
        let now = self.clock().now();
        let Some(passed) = guard.breaker.let_through(now, patience) else {
            return Err(match guard.breaker.state() {
                StoreState::HashKeyDiffers => StoreError::HashKeyDiffers,
                _ => StoreError::Unavailable(
                    "it failed several times in a row and is asked once a second".to_owned(),
                ),
            });
        };
        let Some(_under_way) = UnderWay::begin(&guard.under_way) else {
            return Err(StoreError::Unavailable(format!(
                "{MOST_UNDER_WAY} questions to it are under way"
            )));
        };
        let answer = within(patience, question(self.store())).await;
        let now = self.clock().now();
        let changed = match &answer {
            Ok(_) => {
                if let Some(line) = guard.outage.answered(now) {
                    line.write(&self.name, None);
                }
                passed.answered()
            }
            Err(StoreError::HashKeyDiffers) => passed.failed(now, StoreState::HashKeyDiffers),
            Err(_) => passed.failed(now, StoreState::Fails),
        };
        if let Some(state) = changed {
            observer.store_changed(&self.name, state);
        }
        answer.map_err(|error| self.without_secrets(error))
    }

    /// The denial of a charge that this shared store has denied lately.
    pub(crate) fn near_denial(&self, charge: &Charge<'_>) -> Option<Outcome> {
        if self.is_immediate() {
            return None;
        }
        self.guard().near.denial(charge, self.clock().now())
    }

    /// Remembers what the store said to a charge that it was asked at `sent`.
    pub(crate) fn remember(&self, charge: &Charge<'_>, outcome: &Outcome, sent: Timestamp) {
        self.guard().near.remember(charge, outcome, sent);
    }

    /// Makes the counters of a batch neutral, and forgets its denials.
    pub(crate) async fn reset(
        &self,
        batch: &Batch<'_>,
        observer: &dyn Observer,
    ) -> Result<(), StoreError> {
        let done = self.ask(observer, |store| store.reset(batch)).await;
        for charge in batch.charges() {
            self.forget(charge);
        }
        done
    }

    /// Forgets the denials of a charge's policy and partition key.
    pub(crate) fn forget(&self, charge: &Charge<'_>) {
        self.guard().near.forget(charge);
    }

    /// Asks a question that takes nothing, when the store is shared.
    pub(crate) async fn knock(&self, key: &HashKey, observer: &dyn Observer) {
        let name = PolicyName::new("aforo.knock");
        let quota = Quota::sliding_window(1, Span::from_seconds(1));
        let (false, Ok(name), Ok(quota)) = (self.is_immediate(), name, quota) else {
            return;
        };
        let terms = Terms::new(name, quota);
        let hash = key.hash(b"aforo knock");
        let mut batch = Batch::new();
        batch.push(Charge::new(&terms, Principal::known(hash), 1));
        // What came of it shows in the status.
        let _ = self.ask(observer, |store| store.peek(&batch)).await;
    }

    fn note_failure(&self, error: &StoreError, observer: &dyn Observer) {
        observer.store_failed(&self.name, error);
        if let Some(line) = self.guard().outage.failed(self.clock().now()) {
            line.write(&self.name, Some(error));
        }
    }

    /// The error without the address's password, should a driver have written it there.
    fn without_secrets(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Unavailable(text) => {
                StoreError::Unavailable(self.settings.url.without_password(&text))
            }
            other => other,
        }
    }
}

/// The answer, or a timeout.
#[cfg(feature = "tokio")]
async fn within<T: Unpin>(patience: Span, answer: Answer<'_, T>) -> Result<T, StoreError> {
    if matches!(answer, Answer::Ready(_)) || tokio::runtime::Handle::try_current().is_err() {
        return answer.await;
    }
    match tokio::time::timeout(patience.into(), answer).await {
        Ok(answer) => answer,
        Err(_elapsed) => Err(StoreError::Timeout),
    }
}

/// The answer: without tokio's timer the store alone keeps to its timeout.
#[cfg(not(feature = "tokio"))]
async fn within<T: Unpin>(_: Span, answer: Answer<'_, T>) -> Result<T, StoreError> {
    answer.await
}
