//! Instants and lengths of time, in whole microseconds.

use core::time::Duration;

/// An instant: whole microseconds since the Unix epoch.
///
/// ```
/// use aforo_core::{Span, Timestamp};
/// let noon = Timestamp::from_seconds(43_200);
/// assert_eq!(noon.plus(Span::from_millis(1)).as_micros(), 43_200_001_000);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

/// A length of time: whole microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);

    /// An instant from microseconds since the epoch.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// An instant from seconds since the epoch; the far end saturates.
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// Microseconds since the epoch.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Seconds since the epoch, rounded up: an instant told to a caller is never too early.
    pub const fn as_seconds_ceil(self) -> u64 {
        self.0.div_ceil(1_000_000)
    }

    /// This instant moved forward; the far end saturates.
    pub const fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// This instant moved back; the epoch is the earliest.
    pub const fn minus(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }

    /// How long after `earlier` this is; zero when it is not after.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest length that can be written.
    pub const MAX: Self = Self(u64::MAX);

    /// A length from microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// A length from milliseconds; the far end saturates.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// A length from seconds; the far end saturates.
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// In microseconds.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// In seconds, rounded up.
    pub const fn as_seconds_ceil(self) -> u64 {
        self.0.div_ceil(1_000_000)
    }

    /// Both lengths one after the other; the far end saturates.
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Whether there is nothing to wait for.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl From<Span> for Duration {
    fn from(span: Span) -> Self {
        Duration::from_micros(span.0)
    }
}

impl From<Duration> for Span {
    /// Parts of a microsecond are rounded up; the far end saturates.
    fn from(duration: Duration) -> Self {
        let micros = duration.as_nanos().div_ceil(1_000);
        Self(u64::try_from(micros).unwrap_or(u64::MAX))
    }
}
