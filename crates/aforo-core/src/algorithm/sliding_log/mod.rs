//! The exact log of admitted charges.

mod assessment;

use alloc::collections::VecDeque;
use alloc::collections::vec_deque;

use super::{carry, clock};
use crate::{Quota, Shape, State, Stored, Taken, Timestamp};

pub use assessment::LogAssessment;

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

    /// The log, its next entry with this id or a later one. A store that writes a log down keeps
    /// [`Log::next_id`], so that no entry is taken for one that a receipt remembers.
    #[must_use]
    pub fn continued(mut self, next_id: u64) -> Self {
        self.next_id = self.next_id.max(next_id);
        self
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

    /// The id of its next entry.
    pub const fn next_id(&self) -> u64 {
        self.next_id
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

    /// Joins the two oldest entries at the time of the later one, for a store that has no room
    /// for more: units leave the window later than they would have, never sooner. What is given
    /// back can only come off the later one.
    ///
    /// ```
    /// use aforo_core::{Log, Quota, Span, Timestamp};
    /// let quota = Quota::sliding_log(3, Span::from_seconds(60))?;
    /// let mut log = Log::default();
    /// for second in [100, 110, 120] {
    ///     quota.assess_log(&log, Timestamp::from_seconds(second), 1).apply(&mut log, true);
    /// }
    /// log.coalesce();
    /// assert_eq!(log.len(), 2);
    /// let denied = quota.assess_log(&log, Timestamp::from_seconds(130), 1).outcome(false);
    /// assert_eq!(denied.wait, Span::from_seconds(40));
    /// # Ok::<(), aforo_core::QuotaError>(())
    /// ```
    pub fn coalesce(&mut self) {
        if self.entries.len() < 2 {
            return;
        }
        let oldest = self.entries.pop_front();
        if let (Some(oldest), Some(next)) = (oldest, self.entries.front_mut()) {
            next.cost = next.cost.saturating_add(oldest.cost);
        }
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

    /// Hands memory back that a busier time needed.
    pub(super) fn release(&mut self) {
        let few = self.entries.len().saturating_mul(2).max(8);
        if self.entries.capacity() > few.saturating_mul(2) {
            self.entries.shrink_to(few);
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
