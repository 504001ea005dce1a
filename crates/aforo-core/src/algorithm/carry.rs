//! The rule for a changed quota: the units used, rounded up, stand at the last charge's time.

use super::fixed_window::Frame;
use super::{clock, sliding_window};
use crate::{Algorithm, State, Stored, Unit};

/// Units used at the time of the last charge, rounded up.
pub(crate) fn used(stored: &Stored) -> u64 {
    let state = &stored.state;
    match stored.shape.algorithm {
        Algorithm::TokenBucket | Algorithm::LeakyBucket => {
            state.first.div_ceil(stored.shape.window.max(1))
        }
        Algorithm::FixedWindow | Algorithm::SlidingLog => state.first,
        Algorithm::SlidingWindow => sliding_window::used(state, stored.shape.window),
    }
}

/// The time of the last charge, in another unit.
pub(crate) fn last(stored: &Stored, unit: Unit) -> u64 {
    clock::floor(clock::instant(stored.state.last, stored.shape.unit), unit)
}

/// A bucket with what was used before: the last charge's time and the level.
#[cold]
pub(crate) fn into_bucket(stored: &Stored, unit: Unit, w: u64, full: u64) -> (u64, u64) {
    let level = used(stored).saturating_mul(w).min(full);
    (last(stored, unit), level)
}

/// A fixed window with what was used before.
#[cold]
pub(crate) fn into_fixed_window(stored: &Stored, frame: &Frame<'_>, q: u64) -> State {
    let last = last(stored, frame.unit);
    let (_, end) = frame.window_at(last);
    State {
        last,
        first: used(stored).min(q),
        second: end.as_micros(),
    }
}

/// A sliding window, or the sum of a log, with what was used before.
#[cold]
pub(crate) fn into_counter(stored: &Stored, unit: Unit, q: u64) -> State {
    State {
        last: last(stored, unit),
        first: used(stored).min(q),
        second: 0,
    }
}
