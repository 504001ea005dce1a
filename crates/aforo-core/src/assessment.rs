//! One charge against one state.

use crate::algorithm::{clock, leaky_bucket, sliding_window, token_bucket};
use crate::{Algorithm, Outcome, Quota, Span, State, Taken, Timestamp, Verdict};

/// A stored state brought to now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Present {
    /// Its `last` is the time that the charge counts at.
    pub(crate) state: State,
    /// The clock was set back: the state is kept even on a denial.
    pub(crate) set_back: bool,
}

impl Present {
    #[inline]
    pub(crate) const fn ordinary(state: State) -> Self {
        Self {
            state,
            set_back: false,
        }
    }

    pub(crate) const fn set_back(state: State) -> Self {
        Self {
            state,
            set_back: true,
        }
    }
}

/// What a charge would do to a state. Nothing is taken until a store writes what
/// [`Assessment::state`] says for what the whole batch decided.
///
/// ```
/// use aforo_core::{Quota, Span, Stored, Timestamp};
/// let quota = Quota::token_bucket(1, Span::from_seconds(10), Some(5))?;
/// let now = Timestamp::from_seconds(1_000);
/// let first = quota.assess(None, now, None, 5);
/// let stored = first.state(true).map(|state| Stored { shape: quota.shape(), state });
///
/// let second = quota.assess(stored.as_ref(), now, None, 1);
/// assert!(!second.fits());
/// assert_eq!(second.outcome(false).wait, Span::from_seconds(10));
/// assert_eq!(second.state(false), None);
/// # Ok::<(), aforo_core::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Assessment<'q> {
    quota: &'q Quota,
    now: Timestamp,
    cost: u64,
    verdict: Verdict,
    present: Present,
}

impl<'q> Assessment<'q> {
    #[inline]
    pub(crate) fn new(
        quota: &'q Quota,
        now: Timestamp,
        cost: u64,
        present: Present,
        fits: bool,
    ) -> Self {
        let verdict = if cost > quota.capacity() {
            Verdict::Impossible
        } else if fits {
            Verdict::Allowed
        } else {
            Verdict::Denied
        };
        Self {
            quota,
            now,
            cost,
            verdict,
            present,
        }
    }

    /// Whether the charge fits by itself.
    #[inline]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whether the verdict is [`Verdict::Allowed`].
    #[inline]
    pub const fn fits(&self) -> bool {
        matches!(self.verdict, Verdict::Allowed)
    }

    #[inline]
    const fn takes(&self, taken: bool) -> bool {
        taken && self.fits() && self.cost > 0
    }

    /// The outcome, when the batch took this charge or did not.
    // Always inlined, so that it is written where it is to stand.
    #[inline(always)]
    pub fn outcome(&self, taken: bool) -> Outcome {
        if let Algorithm::TokenBucket | Algorithm::LeakyBucket = self.quota.algorithm() {
            return self.bucket_outcome(taken);
        }
        // A copy, and its answer in parts, so that a bucket's stays in registers.
        let counted = { *self }.counter_outcome(taken);
        Outcome {
            verdict: counted.verdict,
            capacity: counted.capacity,
            remaining: counted.remaining,
            wait: counted.wait,
            next_unit: counted.next_unit,
            whole_again: counted.whole_again,
            delay: counted.delay,
            edge: counted.edge,
            at: counted.at,
        }
    }

    #[inline(always)]
    fn bucket_outcome(&self, taken: bool) -> Outcome {
        let quota = self.quota;
        let (q, w, full) = (quota.rate(), quota.shape().window, quota.full());
        let capacity = quota.capacity();
        let State { last, first, .. } = self.present.state;
        let level = match self.takes(taken) {
            true => token_bucket::taken(first, self.cost, w),
            false => first,
        };
        let until = |units| clock::wait(last, units, quota.unit(), self.now);
        let until_fits = |level, cost| until(token_bucket::wait(level, cost, q, w, full));
        let (remaining, missing) = token_bucket::room(level, w, full);
        Outcome {
            verdict: self.verdict,
            capacity,
            remaining,
            wait: match self.verdict {
                Verdict::Denied => until_fits(first, self.cost),
                Verdict::Allowed | Verdict::Impossible => Span::ZERO,
            },
            next_unit: match remaining < capacity {
                true => until(token_bucket::drains(missing, q)),
                false => Span::ZERO,
            },
            whole_again: until_fits(level, capacity),
            delay: match quota.algorithm() {
                Algorithm::LeakyBucket if self.takes(true) => until(leaky_bucket::delay(first, q)),
                _ => Span::ZERO,
            },
            edge: None,
            at: self.now,
        }
    }

    #[inline(never)]
    fn counter_outcome(&self, taken: bool) -> Outcome {
        let quota = self.quota;
        let (q, w) = (quota.rate(), quota.shape().window);
        match quota.algorithm() {
            // Apart, so that what its numbers have in common is computed once.
            Algorithm::SlidingWindow => self.told(
                taken,
                |state| sliding_window::remaining(state, q, w),
                |state, cost| sliding_window::wait(state, cost, q, w),
            ),
            _ => self.told(
                taken,
                |state| quota.remaining(state),
                |state, cost| quota.wait(state, cost),
            ),
        }
    }

    #[inline(always)]
    fn told(
        &self,
        taken: bool,
        remaining: impl Fn(&State) -> u64,
        wait: impl Fn(&State, u64) -> u64,
    ) -> Outcome {
        let (quota, before) = (self.quota, &self.present.state);
        let after = match self.takes(taken) {
            true => quota.taken(before, self.cost),
            false => *before,
        };
        let capacity = quota.capacity();
        let remaining = remaining(&after);
        let until = |state: &State, cost: u64| {
            let units = wait(state, cost);
            clock::wait(state.last, units, quota.unit(), self.now)
        };
        Outcome {
            verdict: self.verdict,
            capacity,
            remaining,
            wait: match self.verdict {
                Verdict::Denied => until(before, self.cost),
                Verdict::Allowed | Verdict::Impossible => Span::ZERO,
            },
            next_unit: match remaining.checked_add(1) {
                Some(next) if next <= capacity => until(&after, next),
                _ => Span::ZERO,
            },
            whole_again: until(&after, capacity),
            delay: Span::ZERO,
            edge: quota.edge(&after),
            at: self.now,
        }
    }

    /// The state to write, if any: the charge's, when it was taken; otherwise what the clock rule
    /// made of the stored one, when the clock was set back. A charge of nothing writes nothing.
    #[inline]
    pub fn state(&self, taken: bool) -> Option<State> {
        if self.takes(taken) {
            Some(self.quota.taken(&self.present.state, self.cost))
        } else if self.present.set_back {
            Some(self.present.state)
        } else {
            None
        }
    }

    /// What a receipt keeps of this charge.
    #[inline]
    pub fn taken(&self) -> Taken {
        Taken {
            shape: self.quota.shape(),
            at: self.present.state.last,
            cost: self.cost,
            mark: self.quota.mark(&self.present.state),
        }
    }
}
