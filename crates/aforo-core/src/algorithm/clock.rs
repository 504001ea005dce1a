//! The clock rule and the rounding to a unit, the same for every algorithm.

use crate::{Span, Timestamp, Unit};

/// How far a clock may step back before it counts as set back, when less is taken.
const TOLERANCE: Span = Span::from_seconds(60);

/// The time that a charge counts at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effective {
    /// In units since the epoch.
    pub(crate) at: u64,
    /// The clock was set back: the state moves with it, even on a denial.
    pub(crate) set_back: bool,
}

/// The time in units, rounded down.
#[inline]
pub(crate) const fn floor(now: Timestamp, unit: Unit) -> u64 {
    match unit {
        Unit::Microsecond => now.as_micros(),
        Unit::Millisecond => now.as_micros() / 1_000,
        Unit::Second => now.as_micros() / 1_000_000,
    }
}

/// The instant of a time in units.
#[inline]
pub(crate) const fn instant(at: u64, unit: Unit) -> Timestamp {
    Timestamp::from_micros(at.saturating_mul(unit.micros()))
}

/// The clock rule for a time before the last charge: a small step back does not count, a large
/// one does. Small is up to `whole_again` (in units, seen from `last`) or a minute.
#[cold]
pub(crate) fn step_back(now: u64, last: u64, whole_again: u64, unit: Unit) -> Effective {
    let tolerance = whole_again.max(floor(Timestamp::EPOCH.plus(TOLERANCE), unit));
    let set_back = last.saturating_sub(now) > tolerance;
    Effective {
        at: if set_back { now } else { last },
        set_back,
    }
}

/// How long from `now` until `units` after `at`: the part of a unit that `now` is past `at`
/// comes off, a step back is added. Nothing to wait for stays nothing.
#[inline]
pub(crate) const fn wait(at: u64, units: u64, unit: Unit, now: Timestamp) -> Span {
    if units == 0 {
        return Span::ZERO;
    }
    instant(at.saturating_add(units), unit).since(now)
}
