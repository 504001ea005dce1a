//! What the log says of a failing store: a line per interval, whatever the number of requests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aforo_core::{Span, Timestamp};
use aforo_store::StoreError;

/// How often a failing store is told about.
const INTERVAL: Span = Span::from_seconds(10);

/// What was told of a store's failures, and what was not yet.
#[derive(Debug, Default)]
pub(super) struct Outage {
    /// Read without the lock, since it is false almost always.
    failing: AtomicBool,
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    at: Option<Timestamp>,
    since: Timestamp,
    /// Failures since the last line.
    failures: u64,
    /// Failures since the store last answered after a line.
    all: u64,
    /// Whether a line said that it fails, and none that it answers.
    open: bool,
}

/// A line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The store fails.
    Begins,
    /// It still does.
    Goes {
        /// Failures since the last line.
        failures: u64,
        /// Seconds since it began.
        seconds: u64,
    },
    /// It answers again.
    Ends {
        /// Failures in all.
        failures: u64,
        /// Seconds since it began.
        seconds: u64,
    },
}

impl Outage {
    /// A question was not answered; what there is to tell.
    pub(super) fn failed(&self, now: Timestamp) -> Option<Line> {
        self.failing.store(true, Ordering::Relaxed);
        let mut told = self.told();
        told.failures = told.failures.saturating_add(1);
        told.all = told.all.saturating_add(1);
        let lately = |at: Timestamp| at <= now && now.since(at) < INTERVAL;
        if told.at.is_some_and(lately) {
            return None;
        }
        told.at = Some(now);
        let failures = std::mem::take(&mut told.failures);
        if std::mem::replace(&mut told.open, true) {
            let seconds = now.since(told.since).as_micros() / 1_000_000;
            return Some(Line::Goes { failures, seconds });
        }
        told.since = now;
        Some(Line::Begins)
    }

    /// A question was answered; what there is to tell.
    pub(super) fn answered(&self, now: Timestamp) -> Option<Line> {
        if !self.failing.load(Ordering::Relaxed) || !self.failing.swap(false, Ordering::Relaxed) {
            return None;
        }
        let mut told = self.told();
        if !std::mem::replace(&mut told.open, false) {
            return None;
        }
        told.failures = 0;
        Some(Line::Ends {
            failures: std::mem::take(&mut told.all),
            seconds: now.since(told.since).as_micros() / 1_000_000,
        })
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    /// Writes it.
    pub(super) fn write(self, store: &str, error: Option<&StoreError>) {
        let error = error.map(tracing::field::display);
        match self {
            Self::Begins => tracing::error!(
                store,
                error,
                "the store fails; its policies follow on_store_failure until it answers"
            ),
            Self::Goes { failures, seconds } => {
                tracing::error!(store, error, failures, seconds, "the store still fails");
            }
            Self::Ends { failures, seconds } => {
                tracing::info!(store, failures, seconds, "the store answers again");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_seconds(1_000).plus(Span::from_seconds(seconds))
    }

    #[test]
    fn there_is_a_line_per_interval_not_per_request() {
        let outage = Outage::default();
        assert_eq!(outage.answered(at(0)), None);
        assert_eq!(outage.failed(at(0)), Some(Line::Begins));
        for _ in 0..999 {
            assert_eq!(outage.failed(at(9)), None);
        }
        let (failures, seconds) = (1_000, 10);
        assert_eq!(
            outage.failed(at(10)),
            Some(Line::Goes { failures, seconds })
        );
        let (failures, seconds) = (1_001, 12);
        assert_eq!(
            outage.answered(at(12)),
            Some(Line::Ends { failures, seconds })
        );
        assert_eq!(outage.answered(at(12)), None);
    }

    #[test]
    fn a_store_that_answers_every_other_time_does_not_fill_the_log() {
        let outage = Outage::default();
        let mut lines = 0;
        for round in 0..1_000 {
            lines += usize::from(outage.failed(at(round / 50)).is_some());
            lines += usize::from(outage.answered(at(round / 50)).is_some());
        }
        assert_eq!(lines, 4, "20 seconds: a failure and an answer in each ten");
    }
}
