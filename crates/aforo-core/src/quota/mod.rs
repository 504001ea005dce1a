//! How many units a window holds.

mod assess;
mod error;
mod exact;
mod kind;
mod remainder;

use crate::algorithm::leaky_bucket;
use crate::{Algorithm, Shape, Span, Unit};

pub use error::QuotaError;
use exact::{Capacity, Exact};
pub(crate) use kind::Kind;
pub use remainder::RemainderError;

/// Every number that takes part in a decision stays below this, so that doubles hold it exactly.
pub(crate) const EXACT_BELOW: u64 = 1 << 53;

/// A sliding log holds at most this many units.
const LOG_UNITS: u64 = 10_000;

/// When a window begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    /// A fixed length, aligned to the epoch (fixed and sliding windows) or running (buckets, logs).
    Length(Span),
    /// A fixed length that starts with the first charge (fixed windows only).
    FirstHit(Span),
    /// A calendar unit whose edges travel with each charge (fixed windows only).
    Calendar(CalendarUnit),
}

/// The calendar units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CalendarUnit {
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// An ISO week, Monday to Sunday.
    Week,
    /// A month.
    Month,
}

/// Units per window, with the algorithm that counts them: a quota that exists can be computed
/// exactly on every store.
///
/// Each quota computes in one [`Unit`] of time: the finest of microsecond, millisecond and second
/// that divides its window and in which, after amount and window are reduced by their greatest
/// common divisor to q and w, q·w and B·w (B the capacity) stay below 2⁵³. A sliding window
/// multiplies by the time that has passed in it, so nothing can be reduced there: its own amount
/// times its own window must stay below 2⁵³. Windows last from 1 ms to 400 days.
///
/// ```
/// use aforo_core::{Quota, Span, Timestamp};
/// let quota = Quota::token_bucket(60, Span::from_seconds(60), Some(10))?;
/// assert_eq!(quota.capacity(), 10);
/// let first = quota.assess(None, Timestamp::from_seconds(1_000), None, 4);
/// assert_eq!(first.outcome(true).remaining, 6);
/// # Ok::<(), aforo_core::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quota {
    algorithm: Algorithm,
    unit: Unit,
    kind: Kind,
    capacity: u64,
    // Buckets: q and w of the contract's formulas, reduced, and B·w.
    // Windows and logs: the amount and the whole window in the unit (calendar: zero).
    q: u64,
    w: u64,
    full: u64,
    // What q and w were divided by: each receipt holds a quota, so nothing is kept twice.
    divisor: u64,
}

impl Quota {
    /// A token bucket: `amount` per `window` flow back, `burst` (the amount, when none) at once.
    ///
    /// ```
    /// use aforo_core::{Quota, Span};
    /// let quota = Quota::token_bucket(2_000_000_000, Span::from_seconds(1), None)?;
    /// assert_eq!(quota.capacity(), 2_000_000_000);
    /// # Ok::<(), aforo_core::QuotaError>(())
    /// ```
    ///
    /// # Errors
    /// See [`QuotaError`].
    pub fn token_bucket(amount: u64, window: Span, burst: Option<u64>) -> Result<Self, QuotaError> {
        if burst == Some(0) {
            return Err(QuotaError::ZeroBurst);
        }
        let capacity = burst.map_or(Capacity::Amount, Capacity::Burst);
        let exact = Exact::choose(amount, window, capacity, u64::MAX)?;
        let capacity = burst.unwrap_or(amount);
        Ok(Self::bucket(Algorithm::TokenBucket, capacity, exact))
    }

    /// A leaky bucket: `amount` per `window` pass, evenly; a request is held up to `max_delay`.
    ///
    /// The unit must divide `max_delay` too. The capacity is what can be admitted at once: the
    /// request that passes and those that are held.
    ///
    /// # Errors
    /// See [`QuotaError`].
    pub fn leaky_bucket(amount: u64, window: Span, max_delay: Span) -> Result<Self, QuotaError> {
        let exact = Exact::choose(amount, window, Capacity::Delay(max_delay), u64::MAX)?;
        let capacity = leaky_bucket::capacity(exact.full, exact.w);
        Ok(Self::bucket(Algorithm::LeakyBucket, capacity, exact))
    }

    /// A counter per window. Up to twice the amount passes across an edge.
    ///
    /// A calendar window counts in microseconds and takes any amount below 2⁵³.
    ///
    /// # Errors
    /// See [`QuotaError`].
    pub fn fixed_window(amount: u64, window: Window) -> Result<Self, QuotaError> {
        let (unit, length) = match window {
            Window::Length(length) | Window::FirstHit(length) => (
                Exact::choose(amount, length, Capacity::Amount, u64::MAX)?.unit,
                length,
            ),
            Window::Calendar(_) => (exact::calendar(amount)?, Span::ZERO),
        };
        Ok(Self::counted(
            Algorithm::FixedWindow,
            amount,
            window,
            unit,
            length,
        ))
    }

    /// Counters of this window and the one before, the latter weighted.
    ///
    /// # Errors
    /// See [`QuotaError`]; `amount` times `window` must stay below 2⁵³ unreduced.
    pub fn sliding_window(amount: u64, window: Span) -> Result<Self, QuotaError> {
        let unit = exact::unreduced(amount, window)?;
        let (algorithm, length) = (Algorithm::SlidingWindow, Window::Length(window));
        Ok(Self::counted(algorithm, amount, length, unit, window))
    }

    /// The exact times of all charges in the window; at most 10,000 units.
    ///
    /// # Errors
    /// See [`QuotaError`].
    pub fn sliding_log(amount: u64, window: Span) -> Result<Self, QuotaError> {
        if amount > LOG_UNITS {
            return Err(QuotaError::LogTooLarge);
        }
        let unit = Exact::choose(amount, window, Capacity::Amount, LOG_UNITS)?.unit;
        let (algorithm, length) = (Algorithm::SlidingLog, Window::Length(window));
        Ok(Self::counted(algorithm, amount, length, unit, window))
    }

    const fn bucket(algorithm: Algorithm, capacity: u64, exact: Exact) -> Self {
        Self {
            algorithm,
            unit: exact.unit,
            kind: Kind::Length,
            capacity,
            q: exact.q,
            w: exact.w,
            full: exact.full,
            divisor: exact.divisor,
        }
    }

    fn counted(
        algorithm: Algorithm,
        amount: u64,
        window: Window,
        unit: Unit,
        length: Span,
    ) -> Self {
        Self {
            algorithm,
            unit,
            kind: Kind::of(window),
            capacity: amount,
            q: amount,
            w: length
                .as_micros()
                .checked_div(unit.micros())
                .unwrap_or_default(),
            full: amount,
            divisor: 1,
        }
    }

    /// The algorithm.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Units per window, as written.
    pub const fn amount(&self) -> u64 {
        self.q.saturating_mul(self.divisor)
    }

    /// The window, as written.
    pub const fn window(&self) -> Window {
        let units = self.w.saturating_mul(self.divisor);
        let micros = units.saturating_mul(self.unit.micros());
        self.kind.window(Span::from_micros(micros))
    }

    /// The most that fits at once: a bucket's burst, a window's quota.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The unit it computes in.
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// How long a leaky bucket holds a request at most; none for the others.
    pub const fn max_delay(&self) -> Option<Span> {
        match self.algorithm {
            Algorithm::LeakyBucket => {
                let units = leaky_bucket::max_delay(self.full, self.q, self.w);
                let micros = units.saturating_mul(self.unit.micros());
                Some(Span::from_micros(micros))
            }
            _ => None,
        }
    }

    /// The window's length as headers tell it; none for a month, whose length changes.
    ///
    /// ```
    /// use aforo_core::{CalendarUnit, Quota, Span, Window};
    /// let day = Quota::fixed_window(1_000, Window::Calendar(CalendarUnit::Day))?;
    /// assert_eq!(day.nominal_window(), Some(Span::from_seconds(86_400)));
    /// # Ok::<(), aforo_core::QuotaError>(())
    /// ```
    pub const fn nominal_window(&self) -> Option<Span> {
        match self.window() {
            Window::Length(length) | Window::FirstHit(length) => Some(length),
            Window::Calendar(CalendarUnit::Minute) => Some(Span::from_seconds(60)),
            Window::Calendar(CalendarUnit::Hour) => Some(Span::from_seconds(3_600)),
            Window::Calendar(CalendarUnit::Day) => Some(Span::from_seconds(86_400)),
            Window::Calendar(CalendarUnit::Week) => Some(Span::from_seconds(604_800)),
            Window::Calendar(CalendarUnit::Month) => None,
        }
    }

    /// The share of one of `instances`: ⌈q/instances⌉ and ⌈B/instances⌉, for a local fallback.
    ///
    /// Where that amount cannot be computed exactly, the nearest smaller one that can is taken,
    /// or else the nearest larger one.
    #[must_use]
    pub fn share(&self, instances: u32) -> Self {
        let parts = u64::from(instances.max(1));
        let (amount, burst) = (self.amount().div_ceil(parts), self.capacity.div_ceil(parts));
        self.resized(amount, burst)
            .or_else(|error| {
                let [below, above] = exact::neighbours(amount, self.span(), self.room(burst));
                let amount = below.or(above).ok_or(error)?;
                self.resized(amount, burst)
            })
            .unwrap_or(*self)
    }

    const fn span(&self) -> Span {
        match self.window() {
            Window::Length(length) | Window::FirstHit(length) => length,
            Window::Calendar(_) => Span::ZERO,
        }
    }

    const fn longest_delay(&self) -> Span {
        match self.max_delay() {
            Some(delay) => delay,
            None => Span::ZERO,
        }
    }

    const fn room(&self, burst: u64) -> Capacity {
        match self.algorithm {
            Algorithm::TokenBucket => Capacity::Burst(burst),
            Algorithm::LeakyBucket => Capacity::Delay(self.longest_delay()),
            _ => Capacity::Amount,
        }
    }

    fn resized(&self, amount: u64, burst: u64) -> Result<Self, QuotaError> {
        match (self.algorithm, self.window()) {
            (Algorithm::TokenBucket, Window::Length(window)) => {
                Self::token_bucket(amount, window, Some(burst))
            }
            (Algorithm::LeakyBucket, Window::Length(window)) => {
                Self::leaky_bucket(amount, window, self.longest_delay())
            }
            (Algorithm::SlidingWindow, Window::Length(window)) => {
                Self::sliding_window(amount, window)
            }
            (Algorithm::SlidingLog, Window::Length(window)) => Self::sliding_log(amount, window),
            (_, window) => Self::fixed_window(amount, window),
        }
    }

    /// The shape of the states it writes.
    #[inline]
    pub const fn shape(&self) -> Shape {
        Shape {
            algorithm: self.algorithm,
            unit: self.unit,
            window: self.w,
        }
    }
}
