//! How many units a window holds.

use crate::{
    Algorithm, Assessment, Edges, Log, LogAssessment, Shape, Span, State, Stored, Taken, Timestamp,
    Unit,
};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quota {
    algorithm: Algorithm,
    amount: u64,
    window: Window,
    capacity: u64,
    unit: Unit,
    // Reduced by their gcd for buckets: q and w of the contract's formulas, and B·w.
    q: u64,
    w: u64,
    full: u64,
}

/// Why a quota cannot be computed exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuotaError {
    /// A zero amount is not a quota: a policy with it blocks and never asks a store.
    ZeroAmount,
    /// A burst of zero.
    ZeroBurst,
    /// A window shorter than 1 ms or longer than 400 days.
    WindowOutOfRange,
    /// The products leave 2⁵³ in every unit; the nearest amount that works.
    TooFine {
        /// The nearest amount that works for this window and burst, if any.
        nearest_amount: Option<u64>,
    },
    /// A sliding log of more than 10,000 units.
    LogTooLarge,
}

impl Quota {
    /// A token bucket: `amount` per `window` flow back, `burst` (the amount, when none) at once.
    ///
    /// # Errors
    /// See [`QuotaError`].
    pub fn token_bucket(amount: u64, window: Span, burst: Option<u64>) -> Result<Self, QuotaError> {
        let _ = (amount, window, burst);
        todo!()
    }

    /// A leaky bucket: `amount` per `window` pass, evenly; a request is held up to `max_delay`.
    ///
    /// # Errors
    /// See [`QuotaError`].
    pub fn leaky_bucket(amount: u64, window: Span, max_delay: Span) -> Result<Self, QuotaError> {
        let _ = (amount, window, max_delay);
        todo!()
    }

    /// A counter per window.
    ///
    /// # Errors
    /// See [`QuotaError`].
    pub fn fixed_window(amount: u64, window: Window) -> Result<Self, QuotaError> {
        let _ = (amount, window);
        todo!()
    }

    /// Counters of this window and the one before, the latter weighted.
    ///
    /// # Errors
    /// See [`QuotaError`].
    pub fn sliding_window(amount: u64, window: Span) -> Result<Self, QuotaError> {
        let _ = (amount, window);
        todo!()
    }

    /// The exact times of all charges in the window; at most 10,000 units.
    ///
    /// # Errors
    /// See [`QuotaError`].
    pub fn sliding_log(amount: u64, window: Span) -> Result<Self, QuotaError> {
        let _ = (amount, window);
        todo!()
    }

    /// The algorithm.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Units per window, as written.
    pub const fn amount(&self) -> u64 {
        self.amount
    }

    /// The window, as written.
    pub const fn window(&self) -> Window {
        self.window
    }

    /// The most that fits at once: a bucket's burst, a window's quota.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The unit it computes in.
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// The share of one of `instances`: ⌈q/instances⌉ and ⌈B/instances⌉, for a local fallback.
    #[must_use]
    pub fn share(&self, instances: u32) -> Self {
        let _ = instances;
        todo!()
    }

    /// The shape of the states it writes.
    pub const fn shape(&self) -> Shape {
        Shape {
            algorithm: self.algorithm,
            unit: self.unit,
            window: self.w,
        }
    }

    /// Puts a charge of `cost` units at `now` against what is stored (not for sliding logs, see
    /// [`Quota::assess_log`]). Takes nothing by itself. A calendar window without `edges` counts
    /// in one endless window, so it can only be stricter.
    pub fn assess(
        &self,
        stored: Option<&Stored>,
        now: Timestamp,
        edges: Option<&Edges>,
        cost: u64,
    ) -> Assessment {
        let _ = (stored, now, edges, cost);
        todo!()
    }

    /// The same for a sliding log.
    pub fn assess_log(&self, log: &Log, now: Timestamp, cost: u64) -> LogAssessment {
        let _ = (log, now, cost);
        todo!()
    }

    /// Gives back `units` of what `taken` took: the state to write, or nothing when there is
    /// nothing left to give (another window, a changed shape).
    pub fn give_back(
        &self,
        stored: &Stored,
        taken: &Taken,
        units: u64,
        now: Timestamp,
    ) -> Option<State> {
        let _ = (stored, taken, units, now);
        todo!()
    }

    /// Whether a state says no more than a new one would: it can be dropped without loss.
    /// The state must have this quota's shape.
    pub fn is_neutral(&self, state: &State, now: Timestamp) -> bool {
        let _ = (state, now);
        todo!()
    }
}
