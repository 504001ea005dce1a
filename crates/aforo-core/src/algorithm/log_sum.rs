//! A sliding log's sum: all its units count at the time of the last charge.
//!
//! This is what a log is carried over as. Counting on with it is stricter than the log itself.

use super::clock::{self, Effective};
use crate::assessment::Present;
use crate::{State, Unit};

/// Brings a sum to `now`; its `second` becomes the time when all of it leaves the window.
pub(crate) fn present(stored: Option<&State>, now: u64, q: u64, w: u64, unit: Unit) -> Present {
    let ends = |at: u64| at.saturating_add(w);
    let state = match stored {
        Some(state) if state.first > 0 && now < ends(state.last) => State {
            last: state.last,
            first: state.first.min(q),
            second: ends(state.last),
        },
        _ => State {
            last: now,
            first: 0,
            second: ends(now),
        },
    };
    if now >= state.last {
        return Present::ordinary(State { last: now, ..state });
    }
    let Effective { at, set_back } = clock::step_back(now, state.last, w, unit);
    Present {
        state: State {
            last: at,
            second: ends(at),
            ..state
        },
        set_back,
    }
}

/// How many units of time until `cost` units fit.
pub(crate) const fn wait(state: &State, cost: u64, q: u64) -> u64 {
    if state.first <= q.saturating_sub(cost) {
        return 0;
    }
    state.second.saturating_sub(state.last)
}
