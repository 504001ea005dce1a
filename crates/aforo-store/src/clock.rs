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
    /// Microseconds in a tick, in 1/2⁶⁴.
    scale: u64,
}

/// The machine's wall clock, which other machines agree with as far as something sets it: for
/// stores that several instances share and that have no time of their own.
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "memcached"))]
#[derive(Clone, Copy, Debug, Default)]
pub struct WallClock;

/// Ticks by which the scale is taken from the calibrated clock.
const MANY: u64 = 1 << 60;

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
        let nanos = u128::from(clock.delta_as_nanos(0, MANY));
        // A tick is far shorter than a microsecond, so the scale is below one.
        let scale = u64::try_from((nanos << 4) / 1_000).unwrap_or(u64::MAX);
        Self {
            clock,
            start,
            anchor: Timestamp::EPOCH.plus(wall.into()),
            scale,
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[inline]
    fn now(&self) -> Timestamp {
        let ticks = self.clock.raw().saturating_sub(self.start);
        let micros = (u128::from(ticks).wrapping_mul(u128::from(self.scale)) >> 64) as u64;
        self.anchor.plus(Span::from_micros(micros))
    }
}

#[cfg(any(feature = "sqlite", feature = "postgres", feature = "memcached"))]
impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::EPOCH.plus(wall.into())
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
