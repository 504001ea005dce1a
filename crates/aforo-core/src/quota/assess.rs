//! A charge against a quota's state: which algorithm answers what.

use super::{Kind, Quota};
use crate::algorithm::clock::Effective;
use crate::algorithm::fixed_window::{self, ENDLESS, Frame};
use crate::algorithm::{carry, clock, log_sum, sliding_window, token_bucket};
use crate::assessment::Present;
use crate::{Algorithm, Assessment, Edges, State, Stored, Taken, Timestamp};

impl Quota {
    /// Puts a charge of `cost` units at `now` against what is stored (not for sliding logs, see
    /// [`Quota::assess_log`]). Takes nothing by itself. A calendar window without `edges` counts
    /// in one endless window, so it can only be stricter; so does a sliding log here, where all
    /// of its units count at the time of the last charge.
    // Always inlined, so that a store that asks only for the verdict gets nothing else made.
    #[inline(always)]
    pub fn assess(
        &self,
        stored: Option<&Stored>,
        now: Timestamp,
        edges: Option<&Edges>,
        cost: u64,
    ) -> Assessment<'_> {
        if let Algorithm::TokenBucket | Algorithm::LeakyBucket = self.algorithm {
            let present = self.bucket_at(stored, now);
            let fits = token_bucket::fits(present.state.first, cost, self.w, self.full);
            return Assessment::new(self, now, cost, present, fits);
        }
        // Copies, so that a bucket's state stays in registers.
        let (present, fits) =
            self.count(stored.copied().as_ref(), now, edges.copied().as_ref(), cost);
        let state = State {
            last: present.state.last,
            first: present.state.first,
            second: present.state.second,
        };
        // In parts, or the bucket's assessment would be put together in memory like this one.
        let set_back = present.set_back;
        Assessment::new(self, now, cost, Present { state, set_back }, fits)
    }

    #[inline(never)]
    fn count(
        &self,
        stored: Option<&Stored>,
        now: Timestamp,
        edges: Option<&Edges>,
        cost: u64,
    ) -> (Present, bool) {
        let present = self.counter_at(stored, now, edges);
        let fits = self.fits(&present.state, cost);
        (present, fits)
    }

    #[inline(always)]
    fn bucket_at(&self, stored: Option<&Stored>, now: Timestamp) -> Present {
        let now = clock::floor(now, self.unit);
        let (last, level) = match stored {
            None => (now, 0),
            Some(stored) if stored.shape == self.shape() => (stored.state.last, stored.state.first),
            // A copy here too: a reference handed on would force the state into memory.
            Some(stored) => carry::into_bucket(&{ *stored }, self.unit, self.w, self.full),
        };
        let level = level.min(self.full);
        if now < last {
            // In parts, like the counters' above.
            let Effective { at, set_back } = self.bucket_stepped_back(level, last, now);
            let state = State {
                last: at,
                first: level,
                second: 0,
            };
            return Present { state, set_back };
        }
        let elapsed = now.saturating_sub(last);
        Present::ordinary(State {
            last: now,
            first: token_bucket::drained(level, elapsed, self.q),
            second: 0,
        })
    }

    #[cold]
    fn bucket_stepped_back(&self, level: u64, last: u64, now: u64) -> Effective {
        if level == 0 {
            return Effective {
                at: now,
                set_back: false,
            };
        }
        let whole_again = token_bucket::wait(level, self.capacity, self.q, self.w, self.full);
        clock::step_back(now, last, whole_again, self.unit)
    }

    fn counter_at(
        &self,
        stored: Option<&Stored>,
        now: Timestamp,
        edges: Option<&Edges>,
    ) -> Present {
        let (q, w, unit) = (self.q, self.w, self.unit);
        let now = clock::floor(now, unit);
        let frame = self.frame(edges);
        let carried;
        // By reference: copying a state just written would wait for the writes.
        let state = match stored {
            None => None,
            Some(stored) if stored.shape == self.shape() => Some(&stored.state),
            Some(stored) => {
                carried = match self.algorithm {
                    Algorithm::FixedWindow => carry::into_fixed_window(stored, &frame, q),
                    _ => carry::into_counter(stored, unit, q),
                };
                Some(&carried)
            }
        };
        match self.algorithm {
            Algorithm::FixedWindow => frame.present(state, now, q),
            Algorithm::SlidingWindow => sliding_window::present(state, now, q, w, unit),
            _ => log_sum::present(state, now, q, w, unit),
        }
    }

    const fn frame<'a>(&self, edges: Option<&'a Edges>) -> Frame<'a> {
        Frame {
            kind: self.kind,
            unit: self.unit,
            w: self.w,
            edges,
        }
    }

    /// q of the contract's formulas.
    pub(crate) const fn rate(&self) -> u64 {
        self.q
    }

    /// B·w of the contract's formulas.
    pub(crate) const fn full(&self) -> u64 {
        self.full
    }

    /// Whether a cost within the capacity fits on a present state.
    #[inline]
    pub(crate) fn fits(&self, state: &State, cost: u64) -> bool {
        match self.algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket => {
                token_bucket::fits(state.first, cost, self.w, self.full)
            }
            Algorithm::FixedWindow | Algorithm::SlidingLog => {
                state.first <= self.q.saturating_sub(cost)
            }
            Algorithm::SlidingWindow => {
                cost == 0 || sliding_window::fits(state, cost, self.q, self.w)
            }
        }
    }

    /// A present state with `cost` units taken.
    #[inline]
    pub(crate) fn taken(&self, state: &State, cost: u64) -> State {
        match self.algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket => State {
                first: token_bucket::taken(state.first, cost, self.w),
                ..*state
            },
            Algorithm::FixedWindow | Algorithm::SlidingWindow => State {
                first: state.first.saturating_add(cost),
                ..*state
            },
            Algorithm::SlidingLog => State {
                last: state.last,
                first: state.first.saturating_add(cost),
                second: state.last.saturating_add(self.w),
            },
        }
    }

    /// Units that fit on a present state.
    pub(crate) fn remaining(&self, state: &State) -> u64 {
        match self.algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket => {
                token_bucket::remaining(state.first, self.w, self.full)
            }
            Algorithm::FixedWindow | Algorithm::SlidingLog => self.q.saturating_sub(state.first),
            Algorithm::SlidingWindow => sliding_window::remaining(state, self.q, self.w),
        }
    }

    /// Units of time from a present state until a cost within the capacity fits.
    pub(crate) fn wait(&self, state: &State, cost: u64) -> u64 {
        match self.algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket => {
                token_bucket::wait(state.first, cost, self.q, self.w, self.full)
            }
            Algorithm::FixedWindow => fixed_window::wait(state, cost, self.q, self.unit),
            Algorithm::SlidingWindow => sliding_window::wait(state, cost, self.q, self.w),
            Algorithm::SlidingLog => log_sum::wait(state, cost, self.q),
        }
    }

    /// The end of a fixed window, where one is running and known to end.
    pub(crate) fn edge(&self, state: &State) -> Option<Timestamp> {
        let end = Timestamp::from_micros(state.second);
        match (self.algorithm, self.kind) {
            (Algorithm::FixedWindow, Kind::FirstHit) => (state.first > 0).then_some(end),
            (Algorithm::FixedWindow, _) => (end != ENDLESS).then_some(end),
            _ => None,
        }
    }

    /// What a receipt remembers of a present state before the charge.
    #[inline]
    pub(crate) fn mark(&self, state: &State) -> u64 {
        match self.algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket => state.first,
            Algorithm::FixedWindow => state.second,
            Algorithm::SlidingWindow => state.last.checked_div(self.w).unwrap_or(0),
            Algorithm::SlidingLog => 0,
        }
    }

    /// Gives back `units` of what `taken` took: the state to write, or nothing when there is
    /// nothing left to give (another window, a changed shape). Never more than was taken.
    ///
    /// A bucket gives `max(0, u·w − max(0, q·Δ − L₀ − (c−u)·w))` of u out of c units, L₀ being the
    /// level before the charge and Δ the time since: exact when nothing came in between,
    /// otherwise never too much. A window gives in the charge's own window only. A sliding log
    /// gives by [`Log::give_back`](crate::Log::give_back).
    ///
    /// ```
    /// use aforo_core::{Quota, Span, Stored, Timestamp};
    /// let quota = Quota::token_bucket(60, Span::from_seconds(60), Some(10))?;
    /// let now = Timestamp::from_seconds(1_000);
    /// let charge = quota.assess(None, now, None, 4);
    /// let state = charge.state(true).unwrap_or_default();
    /// let stored = Stored { shape: quota.shape(), state };
    /// // One of the four has flowed back by itself, so three are left to give.
    /// let later = Timestamp::from_seconds(1_001);
    /// let state = quota.give_back(&stored, &charge.taken(), 4, later).unwrap_or_default();
    /// let stored = Stored { shape: quota.shape(), state };
    /// assert_eq!(quota.assess(Some(&stored), later, None, 0).outcome(true).remaining, 10);
    /// # Ok::<(), aforo_core::QuotaError>(())
    /// ```
    pub fn give_back(
        &self,
        stored: &Stored,
        taken: &Taken,
        units: u64,
        now: Timestamp,
    ) -> Option<State> {
        let units = units.min(taken.cost);
        if stored.shape != self.shape() || taken.shape != self.shape() || units == 0 {
            return None;
        }
        let state = &stored.state;
        let ticks = clock::floor(now, self.unit);
        match self.algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket => {
                self.give_back_level(state, taken, units, ticks)
            }
            Algorithm::FixedWindow => fixed_window::given_back(state, taken.mark, units, now),
            Algorithm::SlidingWindow => {
                sliding_window::given_back(state, taken.mark, units, ticks, self.w)
            }
            Algorithm::SlidingLog => (state.last == taken.at && state.first > 0).then(|| State {
                first: state.first.saturating_sub(units),
                ..*state
            }),
        }
    }

    fn give_back_level(&self, state: &State, taken: &Taken, units: u64, now: u64) -> Option<State> {
        let elapsed = now.saturating_sub(taken.at);
        let (q, w) = (self.q, self.w);
        let given = token_bucket::given_back(taken.mark, taken.cost, units, elapsed, q, w);
        (given > 0 && state.first > 0).then(|| State {
            first: state.first.min(self.full).saturating_sub(given),
            ..*state
        })
    }

    /// Whether every state is neutral by this quota exactly when it is by the other.
    ///
    /// ```
    /// use aforo_core::{Quota, Span};
    /// let minute = Quota::token_bucket(60, Span::from_seconds(60), Some(10))?;
    /// let second = Quota::token_bucket(1, Span::from_seconds(1), Some(10))?;
    /// assert!(minute.forgets_like(&second));
    /// # Ok::<(), aforo_core::QuotaError>(())
    /// ```
    #[inline]
    pub fn forgets_like(&self, other: &Self) -> bool {
        self.shape() == other.shape() && self.q == other.q && self.full == other.full
    }

    /// Whether a state says no more than a new one would: it can be dropped without loss.
    /// The state must have this quota's shape.
    pub fn is_neutral(&self, state: &State, now: Timestamp) -> bool {
        let ticks = clock::floor(now, self.unit);
        match self.algorithm {
            Algorithm::TokenBucket | Algorithm::LeakyBucket => {
                let elapsed = ticks.saturating_sub(state.last);
                token_bucket::drained(state.first.min(self.full), elapsed, self.q) == 0
            }
            Algorithm::FixedWindow => state.first == 0 || now.as_micros() >= state.second,
            Algorithm::SlidingWindow => {
                let present =
                    sliding_window::present(Some(state), ticks, self.q, self.w, self.unit);
                present.state.first == 0 && present.state.second == 0
            }
            Algorithm::SlidingLog => state.first == 0 || ticks >= state.last.saturating_add(self.w),
        }
    }
}
