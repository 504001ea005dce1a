//! The sliding window: this window's counter and what still weighs of the one before.
//!
//! The estimate prev·(w−e)/w + cur is that of Cloudflare's "How we built rate limiting capable of
//! scaling to millions of domains" (2017); the comparison is made without the division.

use super::clock::{self, Effective};
use crate::assessment::Present;
use crate::{State, Unit};

/// Brings the counters to `now`.
pub(crate) fn present(stored: Option<&State>, now: u64, q: u64, w: u64, unit: Unit) -> Present {
    let fresh = State {
        last: now,
        ..State::default()
    };
    let Some(state) = stored.filter(|state| state.first > 0 || state.second > 0) else {
        return Present::ordinary(fresh);
    };
    let state = State {
        last: state.last,
        first: state.first.min(q),
        second: state.second.min(q),
    };
    if now < state.last {
        let whole_again = wait(&state, q, q, w);
        let Effective { at, set_back } = clock::step_back(now, state.last, whole_again, unit);
        let state = State { last: at, ..state };
        return Present { state, set_back };
    }
    Present::ordinary(moved(&state, now, w))
}

/// The counters seen from `now`, which is not before the state.
#[inline]
fn moved(state: &State, now: u64, w: u64) -> State {
    let start = now.saturating_sub(elapsed(now, w));
    let (first, second) = if state.last >= start {
        (state.first, state.second)
    } else if state.last >= start.saturating_sub(w) {
        (0, state.first)
    } else {
        (0, 0)
    };
    State {
        last: now,
        first,
        second,
    }
}

#[inline]
fn elapsed(at: u64, w: u64) -> u64 {
    at.checked_rem(w).unwrap_or(0)
}

/// What the previous window still weighs, in 1/w of a unit.
#[inline]
fn weight(state: &State, w: u64) -> u64 {
    let left = w.saturating_sub(elapsed(state.last, w));
    state.second.saturating_mul(left)
}

/// Whether `cost` units fit; the cost is at most q.
#[inline]
pub(crate) fn fits(state: &State, cost: u64, q: u64, w: u64) -> bool {
    let room = q.saturating_sub(cost).checked_sub(state.first);
    room.is_some_and(|room| weight(state, w) <= room.saturating_mul(w))
}

/// Units that fit.
#[inline]
pub(crate) fn remaining(state: &State, q: u64, w: u64) -> u64 {
    q.saturating_sub(state.first)
        .saturating_sub(weight(state, w).div_ceil(w.max(1)))
}

/// How many units of time until `cost` units fit.
#[inline]
pub(crate) fn wait(state: &State, cost: u64, q: u64, w: u64) -> u64 {
    if fits(state, cost, q, w) {
        return 0;
    }
    let elapsed = elapsed(state.last, w);
    let left = w.saturating_sub(elapsed);
    let room = q.saturating_sub(cost);
    match room.checked_sub(state.first) {
        Some(room) => elapsed_when(room, state.second, w).saturating_sub(elapsed),
        None => left.saturating_add(elapsed_when(room, state.first, w)),
    }
}

/// How far into a window its predecessor's `count` weighs no more than `room`.
#[inline]
fn elapsed_when(room: u64, count: u64, w: u64) -> u64 {
    let weighed = room.saturating_mul(w).checked_div(count).unwrap_or(w);
    w.saturating_sub(weighed)
}

/// The counters after giving back, in the very window of the charge or not at all.
pub(crate) fn given_back(
    state: &State,
    window: u64,
    units: u64,
    now: u64,
    w: u64,
) -> Option<State> {
    let index = |at: u64| at.checked_div(w).unwrap_or(0);
    let same = index(state.last) == window && index(now.max(state.last)) == window;
    (same && state.first > 0).then(|| State {
        first: state.first.saturating_sub(units),
        ..*state
    })
}

/// Units taken in the two windows as they weigh at the time of the last charge, rounded up.
pub(crate) fn used(state: &State, w: u64) -> u64 {
    let left = u128::from(w.saturating_sub(elapsed(state.last, w)));
    let weight = u128::from(state.second).saturating_mul(left);
    let weighed = weight.div_ceil(u128::from(w.max(1)));
    state
        .first
        .saturating_add(u64::try_from(weighed).unwrap_or(u64::MAX))
}
