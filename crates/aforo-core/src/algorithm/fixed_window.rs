//! The fixed window: a counter that starts anew at each edge.
//!
//! A window of fixed length is aligned to the epoch, one from the first hit starts with the first
//! charge it counts, and a calendar window's edges travel with the charge.

use super::clock::{self, Effective};
use crate::assessment::Present;
use crate::quota::{EXACT_BELOW, Kind};
use crate::{Edges, State, Timestamp, Unit};

/// The end of a window that is not known to end: the charge came without fitting edges.
pub(crate) const ENDLESS: Timestamp = Timestamp::from_micros(EXACT_BELOW - 1);

/// What a fixed window is made of.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) kind: Kind,
    pub(crate) unit: Unit,
    /// The length in the unit; zero for a calendar window.
    pub(crate) w: u64,
    pub(crate) edges: Option<&'a Edges>,
}

impl Frame<'_> {
    /// The window that holds `at`, as start and end, when none is running.
    pub(crate) fn window_at(&self, at: u64) -> (u64, Timestamp) {
        match self.kind {
            Kind::Length => {
                let start = at.saturating_sub(at.checked_rem(self.w).unwrap_or(0));
                (start, self.end_after(start))
            }
            Kind::FirstHit => (at, self.end_after(at)),
            Kind::Calendar(_) => self.calendar_at(clock::instant(at, self.unit)),
        }
    }

    fn end_after(&self, start: u64) -> Timestamp {
        clock::instant(start.saturating_add(self.w), self.unit)
    }

    /// Edges that do not reach around `now` are late: what lies outside them is one window, so
    /// that a count stays rather than vanishes.
    fn calendar_at(&self, now: Timestamp) -> (u64, Timestamp) {
        let Some(edges) = self.edges else {
            return (0, ENDLESS);
        };
        let [first, .., last] = edges.as_array();
        let (start, end) = if now < first {
            (Timestamp::EPOCH, first)
        } else if now < last {
            edges.window_at(now)
        } else {
            (last, ENDLESS)
        };
        (clock::floor(start, self.unit), end)
    }

    /// Brings a counter to `now`.
    pub(crate) fn present(&self, stored: Option<&State>, now: u64, q: u64) -> Present {
        let (start, end) = self.window_at(now);
        let fresh = State {
            last: now,
            first: 0,
            second: end.as_micros(),
        };
        let Some(state) = stored.filter(|state| state.first > 0) else {
            return Present::ordinary(fresh);
        };
        let first = state.first.min(q);
        if now < state.last {
            return self.stepped_back(State { first, ..*state }, fresh);
        }
        match self.kind {
            Kind::FirstHit if self.is_over(state, now) => Present::ordinary(fresh),
            Kind::FirstHit => Present::ordinary(State {
                last: now,
                first,
                ..*state
            }),
            _ if state.last < start => Present::ordinary(fresh),
            _ => Present::ordinary(State { first, ..fresh }),
        }
    }

    fn is_over(&self, state: &State, now: u64) -> bool {
        clock::instant(now, self.unit).as_micros() >= state.second
    }

    fn stepped_back(&self, state: State, fresh: State) -> Present {
        // A window of fixed length may take over from one that began with the first hit.
        let second = match self.kind {
            Kind::Length => self.window_at(state.last).1.as_micros(),
            Kind::FirstHit | Kind::Calendar(_) => state.second,
        };
        // Where the end is not known, only the least tolerance holds.
        let whole_again = match Timestamp::from_micros(second) {
            ENDLESS => 0,
            end => clock::floor(end, self.unit).saturating_sub(state.last),
        };
        let Effective { set_back, .. } =
            clock::step_back(fresh.last, state.last, whole_again, self.unit);
        if set_back {
            let first = state.first;
            return Present::set_back(State { first, ..fresh });
        }
        Present::ordinary(State { second, ..state })
    }
}

/// How many units of time until `cost` units fit: the rest of the window.
pub(crate) fn wait(state: &State, cost: u64, q: u64, unit: Unit) -> u64 {
    if state.first <= q.saturating_sub(cost) {
        return 0;
    }
    clock::floor(Timestamp::from_micros(state.second), unit).saturating_sub(state.last)
}

/// The count after giving back, in the very window of the charge or not at all.
pub(crate) fn given_back(state: &State, end: u64, units: u64, now: Timestamp) -> Option<State> {
    let same = state.second == end && now.as_micros() < end && state.first > 0;
    same.then(|| State {
        first: state.first.saturating_sub(units),
        ..*state
    })
}
