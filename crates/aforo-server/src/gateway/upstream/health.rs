//! Passive health: an upstream that fails is left alone for a while, longer each time.

use std::cell::Cell;

use tokio::time::{Duration, Instant};

/// How long an upstream is left alone after its first failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest that an upstream is left alone.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Failures in a row after which it is left alone, when it could be reached at all.
const TOLERATED: u32 = 3;

/// What a worker knows of an upstream's health.
#[derive(Debug, Default)]
pub(in crate::gateway) struct Health {
    failures: Cell<u32>,
    pauses: Cell<u32>,
    paused_until: Cell<Option<Instant>>,
}

impl Health {
    /// It answered.
    pub(in crate::gateway) fn answered(&self) {
        if self.failures.get() > 0 || self.pauses.get() > 0 {
            self.failures.set(0);
            self.pauses.set(0);
            self.paused_until.set(None);
        }
    }

    /// It could not be reached: it is left alone at once.
    pub(in crate::gateway) fn unreachable(&self, now: Instant) {
        let pauses = self.pauses.get();
        let pause = FIRST_PAUSE.saturating_mul(1_u32.checked_shl(pauses).unwrap_or(u32::MAX));
        self.paused_until
            .set(now.checked_add(pause.min(LONGEST_PAUSE)));
        self.pauses.set(pauses.saturating_add(1));
        self.failures.set(0);
    }

    /// It broke off or did not answer in time: a few of these in a row count as unreachable.
    pub(in crate::gateway) fn failed(&self, now: Instant) {
        let failures = self.failures.get().saturating_add(1);
        self.failures.set(failures);
        if failures >= TOLERATED {
            self.unreachable(now);
        }
    }

    /// When it may be asked again; `None`: now. Costs no look at the clock while all is well.
    pub(super) fn paused_until(&self) -> Option<Instant> {
        self.paused_until.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_minute_and_end_with_an_answer() {
        let (health, now) = (Health::default(), Instant::now());
        let mut pauses = Vec::new();
        for _ in 0..8 {
            health.unreachable(now);
            pauses.push(health.paused_until().unwrap().duration_since(now).as_secs());
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        health.answered();
        assert_eq!(health.paused_until(), None);
        health.unreachable(now);
        assert_eq!(
            health.paused_until().unwrap().duration_since(now),
            FIRST_PAUSE
        );
    }

    #[test]
    fn the_third_failure_in_a_row_pauses() {
        let (health, now) = (Health::default(), Instant::now());
        health.failed(now);
        health.failed(now);
        assert_eq!(health.paused_until(), None);
        health.answered();
        health.failed(now);
        health.failed(now);
        assert_eq!(health.paused_until(), None);
        health.failed(now);
        assert!(health.paused_until().is_some());
    }
}
