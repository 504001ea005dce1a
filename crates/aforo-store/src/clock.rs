//! The one file that reads the machine's clocks.
#![allow(clippy::disallowed_methods, reason = "this is the clock file")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use aforo_core::{Span, Timestamp};

/// Tells the time to a store.
pub trait Clock: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// The machine's monotonic clock, anchored to wall time once: it never goes back.
#[derive(Clone, Debug)]
pub struct SystemClock {
    clock: quanta::Clock,
    start: u64,
    anchor: Timestamp,
}

/// A clock that a test moves by hand. Clones share one time.
///
/// ```
/// use aforo_core::{Span, Timestamp};
/// use aforo_store::{Clock, ManualClock};
/// let clock = ManualClock::at(Timestamp::from_seconds(100));
/// clock.advance(Span::from_seconds(5));
/// assert_eq!(clock.now(), Timestamp::from_seconds(105));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Arc<AtomicU64>);

impl SystemClock {
    /// A clock anchored to wall time now.
    pub fn new() -> Self {
        let clock = quanta::Clock::new();
        let start = clock.raw();
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Self {
            clock,
            start,
            anchor: Timestamp::EPOCH.plus(wall.into()),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let nanos = self.clock.delta_as_nanos(self.start, self.clock.raw());
        self.anchor.plus(Span::from_micros(nanos / 1_000))
    }
}

impl ManualClock {
    /// A clock that stands at `now`.
    pub fn at(now: Timestamp) -> Self {
        Self(Arc::new(AtomicU64::new(now.as_micros())))
    }

    /// Moves it to `now`, forward or back.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.as_micros(), Ordering::Relaxed);
    }

    /// Moves it forward.
    pub fn advance(&self, span: Span) {
        self.0.fetch_add(span.as_micros(), Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::Relaxed))
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}
