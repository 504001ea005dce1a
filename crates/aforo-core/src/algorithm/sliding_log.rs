//! The exact log of admitted charges.

use alloc::collections::VecDeque;
use alloc::collections::vec_deque;

use super::carry;
use super::clock::{self, Effective};
use crate::{Outcome, Quota, Shape, State, Stored, Taken, Timestamp, Verdict};

/// The admitted charges of one partition key, the oldest first.
///
/// ```
/// use aforo_core::{Log, Quota, Span, Timestamp};
/// let quota = Quota::sliding_log(2, Span::from_seconds(6))?;
/// let mut log = Log::default();
/// for second in [0, 5, 10, 15] {
///     let assessment = quota.assess_log(&log, Timestamp::from_seconds(second), 1);
///     assert!(assessment.outcome(true).is_allowed());
///     assessment.apply(&mut log, true);
/// }
/// # Ok::<(), aforo_core::QuotaError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Log {
    shape: Option<Shape>,
    entries: VecDeque<LogEntry>,
    total: u64,
    next_id: u64,
}

/// One admitted charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// When, in units since the epoch.
    pub at: u64,
    /// Units taken.
    pub cost: u64,
    /// Unique within its log.
    pub id: u64,
}

/// What a charge would do to a log.
#[derive(Clone, Copy, Debug)]
pub struct LogAssessment {
    quota: Quota,
    now: Timestamp,
    at: u64,
    set_back: bool,
    cost: u64,
    verdict: Verdict,
    live: Live,
    // Units of time from `at` until the charge fits.
    wait: u64,
}

/// What is in the window, at most q units: older ones than that left with a lowered quota.
#[derive(Clone, Copy, Debug, Default)]
struct Live {
    units: u64,
    oldest: u64,
    newest: u64,
}

impl Log {
    /// A log of entries that were kept elsewhere, the oldest first, in the shape they were
    /// written in.
    pub fn restore(shape: Shape, entries: impl IntoIterator<Item = LogEntry>) -> Self {
        let entries: VecDeque<_> = entries.into_iter().filter(|entry| entry.cost > 0).collect();
        Self {
            shape: Some(shape),
            total: total(&entries),
            next_id: entries
                .iter()
                .map(|entry| entry.id.saturating_add(1))
                .max()
                .unwrap_or(0),
            entries,
        }
    }

    /// A log with what another algorithm's state (or another log's sum) has used: the rule for
    /// changed quotas.
    ///
    /// ```
    /// use aforo_core::{Log, Quota, Span, Stored, Timestamp};
    /// let now = Timestamp::from_seconds(1_000);
    /// let old = Quota::token_bucket(10, Span::from_seconds(60), None)?;
    /// let state = old.assess(None, now, None, 4).state(true).unwrap_or_default();
    /// let new = Quota::sliding_log(10, Span::from_seconds(60))?;
    /// let log = Log::carried(&new, &Stored { shape: old.shape(), state });
    /// assert_eq!(new.assess_log(&log, now, 1).outcome(true).remaining, 5);
    /// # Ok::<(), aforo_core::QuotaError>(())
    /// ```
    pub fn carried(quota: &Quota, stored: &Stored) -> Self {
        let entry = LogEntry {
            at: carry::last(stored, quota.unit()),
            cost: carry::used(stored).min(quota.capacity()),
            id: 0,
        };
        Self::restore(quota.shape(), [entry])
    }

    /// The log's sum as a state in its own shape: what a quota of another algorithm is given to
    /// carry over. None when the log is empty.
    ///
    /// ```
    /// use aforo_core::{Log, Quota, Span, Timestamp};
    /// let now = Timestamp::from_seconds(1_000);
    /// let old = Quota::sliding_log(10, Span::from_seconds(60))?;
    /// let mut log = Log::default();
    /// old.assess_log(&log, now, 4).apply(&mut log, true);
    /// let new = Quota::token_bucket(10, Span::from_seconds(60), None)?;
    /// let outcome = new.assess(log.stored().as_ref(), now, None, 1).outcome(true);
    /// assert_eq!(outcome.remaining, 5);
    /// # Ok::<(), aforo_core::QuotaError>(())
    /// ```
    pub fn stored(&self) -> Option<Stored> {
        let shape = self.shape?;
        let last = self.entries.back()?.at;
        let first = self
            .entries
            .iter()
            .filter(|entry| entry.at.saturating_add(shape.window) > last)
            .fold(0, |sum: u64, entry| sum.saturating_add(entry.cost));
        let state = State {
            last,
            first,
            second: 0,
        };
        Some(Stored { shape, state })
    }

    /// How many entries it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The shape its entries were written in; none before the first.
    pub const fn shape(&self) -> Option<Shape> {
        self.shape
    }

    /// The entries, the oldest first.
    pub fn entries(&self) -> vec_deque::Iter<'_, LogEntry> {
        self.entries.iter()
    }

    /// Whether every entry has left the window by `now`: the log can be dropped without loss.
    pub fn is_neutral(&self, now: Timestamp) -> bool {
        let (Some(shape), Some(newest)) = (self.shape, self.entries.back()) else {
            return true;
        };
        clock::floor(now, shape.unit) >= newest.at.saturating_add(shape.window)
    }

    /// Gives back up to `units` of the entry that `taken` names; says how many it was.
    pub fn give_back(&mut self, taken: &Taken, units: u64) -> u64 {
        let is_entry = |entry: &LogEntry| entry.id == taken.mark && entry.at <= taken.at;
        let place = match self.shape {
            Some(shape) if shape == taken.shape => self.entries.iter().position(is_entry),
            _ => None,
        };
        let Some((place, entry)) = place.and_then(|p| Some((p, self.entries.get_mut(p)?))) else {
            return 0;
        };
        let given = units.min(entry.cost).min(taken.cost);
        entry.cost = entry.cost.saturating_sub(given);
        self.total = self.total.saturating_sub(given);
        if entry.cost == 0 {
            self.entries.remove(place);
        }
        given
    }

    fn push(&mut self, at: u64, cost: u64) -> u64 {
        let id = self.next_id;
        self.next_id = id.wrapping_add(1);
        self.total = self.total.saturating_add(cost);
        self.entries.push_back(LogEntry { at, cost, id });
        id
    }

    /// Drops what has left the window by `at`.
    fn expire(&mut self, at: u64, w: u64) {
        while let Some(entry) = self.entries.front() {
            if entry.at.saturating_add(w) > at {
                break;
            }
            self.total = self.total.saturating_sub(entry.cost);
            self.entries.pop_front();
        }
    }

    /// Drops the oldest units beyond `most`.
    fn cap(&mut self, most: u64) {
        while let Some(entry) = self.entries.front_mut() {
            let excess = self.total.saturating_sub(most).min(entry.cost);
            if excess == 0 {
                break;
            }
            entry.cost = entry.cost.saturating_sub(excess);
            self.total = self.total.saturating_sub(excess);
            if entry.cost == 0 {
                self.entries.pop_front();
            }
        }
    }

    /// Entries later than `at` become `at`.
    fn set_back(&mut self, at: u64) {
        for entry in &mut self.entries {
            entry.at = entry.at.min(at);
        }
    }
}

fn total(entries: &VecDeque<LogEntry>) -> u64 {
    entries
        .iter()
        .fold(0, |sum, entry| sum.saturating_add(entry.cost))
}

impl Quota {
    /// The same for a sliding log.
    pub fn assess_log(&self, log: &Log, now: Timestamp, cost: u64) -> LogAssessment {
        if log.shape.is_none_or(|shape| shape == self.shape()) {
            return LogAssessment::new(self, log, now, cost);
        }
        let carried = log.stored().map(|stored| Log::carried(self, &stored));
        LogAssessment::new(self, &carried.unwrap_or_default(), now, cost)
    }
}

impl LogAssessment {
    fn new(quota: &Quota, log: &Log, now: Timestamp, cost: u64) -> Self {
        let (q, w, unit) = (quota.capacity(), quota.shape().window, quota.unit());
        let floor = clock::floor(now, unit);
        let Effective { at, set_back } = match log.entries.back() {
            Some(newest) if floor < newest.at => clock::step_back(floor, newest.at, w, unit),
            _ => Effective {
                at: floor,
                set_back: false,
            },
        };
        let entries = || {
            log.entries
                .iter()
                .map(|entry| (entry.at.min(at), entry.cost))
        };
        let expired = entries()
            .take_while(|(entry, _)| entry.saturating_add(w) <= at)
            .fold(0, |sum: u64, (_, cost)| sum.saturating_add(cost));
        // The time of the entry that holds the unit after the `units` oldest.
        let leaving = |units: u64| {
            let mut left = units;
            entries().find_map(|(entry, cost)| match left.checked_sub(cost) {
                Some(rest) => {
                    left = rest;
                    None
                }
                None => Some(entry),
            })
        };
        let units = log.total.saturating_sub(expired).min(q);
        let gone = log.total.saturating_sub(units);
        let live = Live {
            units,
            oldest: leaving(gone).unwrap_or(at),
            newest: entries().next_back().map_or(at, |(entry, _)| entry),
        };
        let excess = units.saturating_sub(q.saturating_sub(cost));
        let (verdict, wait) = if cost > q {
            (Verdict::Impossible, 0)
        } else if cost == 0 || excess == 0 {
            (Verdict::Allowed, 0)
        } else {
            let last_to_leave = gone.saturating_add(excess).saturating_sub(1);
            let entry = leaving(last_to_leave).unwrap_or(at);
            (Verdict::Denied, left(entry, w, at))
        };
        Self {
            quota: *quota,
            now,
            at,
            set_back,
            cost,
            verdict,
            live,
            wait,
        }
    }

    /// Whether the charge fits by itself.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Whether the charge is one that a batch can take.
    const fn takes(&self, taken: bool) -> bool {
        taken && matches!(self.verdict, Verdict::Allowed) && self.cost > 0
    }

    /// The outcome, when the batch took this charge or did not.
    pub fn outcome(&self, taken: bool) -> Outcome {
        let (q, w) = (self.quota.capacity(), self.quota.shape().window);
        let live = match (self.takes(taken), self.live.units) {
            (false, _) => self.live,
            (true, 0) => Live {
                units: self.cost,
                oldest: self.at,
                newest: self.at,
            },
            (true, units) => Live {
                units: units.saturating_add(self.cost),
                newest: self.at,
                ..self.live
            },
        };
        let until = |entry| match live.units {
            0 => 0,
            _ => left(entry, w, self.at),
        };
        let span = |units| clock::wait(self.at, units, self.quota.unit(), self.now);
        Outcome {
            verdict: self.verdict,
            capacity: q,
            remaining: q.saturating_sub(live.units),
            wait: span(self.wait),
            next_unit: span(until(live.oldest)),
            whole_again: span(until(live.newest)),
            delay: crate::Span::ZERO,
            edge: None,
            at: self.now,
        }
    }

    /// Brings the log up to date when `taken`: drops what left the window and adds the charge.
    /// Otherwise the log stays as it is, unless the clock was set back.
    pub fn apply(&self, log: &mut Log, taken: bool) -> Taken {
        let shape = self.quota.shape();
        let takes = self.takes(taken);
        if takes || self.set_back {
            self.keep(log);
        }
        let mark = if takes {
            log.push(self.at, self.cost)
        } else {
            u64::MAX
        };
        Taken {
            shape,
            at: self.at,
            cost: self.cost,
            mark,
        }
    }

    fn keep(&self, log: &mut Log) {
        let shape = self.quota.shape();
        if log.shape != Some(shape) {
            let carried = log
                .stored()
                .map(|stored| Log::carried(&self.quota, &stored));
            *log = carried.unwrap_or_default();
            log.shape = Some(shape);
        }
        log.set_back(self.at);
        log.expire(self.at, shape.window);
        log.cap(self.quota.capacity());
    }
}

/// Units of time until an entry leaves the window.
const fn left(entry: u64, w: u64, at: u64) -> u64 {
    entry.saturating_add(w).saturating_sub(at)
}
