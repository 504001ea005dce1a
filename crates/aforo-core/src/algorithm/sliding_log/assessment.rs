//! One charge against one log.

use super::Log;
use crate::algorithm::clock::{self, Effective};
use crate::{Outcome, Quota, Span, Taken, Timestamp, Verdict};

/// What a charge would do to a log.
#[derive(Clone, Copy, Debug)]
pub struct LogAssessment<'q> {
    quota: &'q Quota,
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

impl Quota {
    /// Puts a charge of `cost` units at `now` against a sliding log. Takes nothing by itself.
    pub fn assess_log(&self, log: &Log, now: Timestamp, cost: u64) -> LogAssessment<'_> {
        if log.shape.is_none_or(|shape| shape == self.shape()) {
            return LogAssessment::new(self, log, now, cost);
        }
        let carried = log.stored().map(|stored| Log::carried(self, &stored));
        LogAssessment::new(self, &carried.unwrap_or_default(), now, cost)
    }
}

impl<'q> LogAssessment<'q> {
    fn new(quota: &'q Quota, log: &Log, now: Timestamp, cost: u64) -> Self {
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
            quota,
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
            delay: Span::ZERO,
            edge: None,
            at: self.now,
        }
    }

    /// Whether [`LogAssessment::apply`] changes the log.
    pub const fn writes(&self, taken: bool) -> bool {
        self.takes(taken) || self.set_back
    }

    /// Brings the log up to date when `taken`: drops what left the window and adds the charge.
    /// Otherwise the log stays as it is, unless the clock was set back.
    pub fn apply(&self, log: &mut Log, taken: bool) -> Taken {
        let shape = self.quota.shape();
        if self.writes(taken) {
            self.keep(log);
        }
        let mark = if self.takes(taken) {
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
            let carried = log.stored().map(|stored| Log::carried(self.quota, &stored));
            *log = carried.unwrap_or_default();
            log.shape = Some(shape);
        }
        log.set_back(self.at);
        log.expire(self.at, shape.window);
        log.cap(self.quota.capacity());
        log.release();
    }
}

/// Units of time until an entry leaves the window.
const fn left(entry: u64, w: u64, at: u64) -> u64 {
    entry.saturating_add(w).saturating_sub(at)
}
