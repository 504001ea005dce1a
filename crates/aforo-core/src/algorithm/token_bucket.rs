//! The token bucket, told as a level that drains: q per unit of time, w for each unit taken.
//!
//! GCRA (ATM Forum TM 4.0, 4.4.2) is the same machine: its theoretical arrival time is
//! `last + L/q`, its increment w/q and its tolerance (B·w − w)/q.

/// The level after `elapsed` units of time.
#[inline]
pub(crate) const fn drained(level: u64, elapsed: u64, q: u64) -> u64 {
    level.saturating_sub(elapsed.saturating_mul(q))
}

/// Whether `cost` units fit on top of `level`; the cost is at most the capacity.
#[inline]
pub(crate) const fn fits(level: u64, cost: u64, w: u64, full: u64) -> bool {
    level <= full.saturating_sub(cost.saturating_mul(w))
}

/// The level with `cost` units on top.
#[inline]
pub(crate) const fn taken(level: u64, cost: u64, w: u64) -> u64 {
    level.saturating_add(cost.saturating_mul(w))
}

/// Units that fit on top of `level`, and by how much one more does not.
#[inline]
pub(crate) fn room(level: u64, w: u64, full: u64) -> (u64, u64) {
    let free = full.saturating_sub(level);
    let units = free.checked_div(w).unwrap_or(0);
    let rest = free.saturating_sub(units.saturating_mul(w));
    (units, w.saturating_sub(rest))
}

/// Units that fit on top of `level`.
#[inline]
pub(crate) fn remaining(level: u64, w: u64, full: u64) -> u64 {
    room(level, w, full).0
}

/// How many units of time until so much has drained, rounded up.
#[inline]
pub(crate) fn drains(level: u64, q: u64) -> u64 {
    level.div_ceil(q.max(1))
}

/// How many units of time until `cost` units fit, rounded up.
#[inline]
pub(crate) fn wait(level: u64, cost: u64, q: u64, w: u64, full: u64) -> u64 {
    drains(taken(level, cost, w).saturating_sub(full), q)
}

/// What comes off the level for `units` of a charge of `cost` that found `before` in the bucket
/// `elapsed` ago. What the charge delayed has drained since only once the level below it had.
pub(crate) fn given_back(before: u64, cost: u64, units: u64, elapsed: u64, q: u64, w: u64) -> u64 {
    let units = units.min(cost);
    let below = taken(before, cost.saturating_sub(units), w);
    let drained = elapsed.saturating_mul(q).saturating_sub(below);
    units.saturating_mul(w).saturating_sub(drained)
}
