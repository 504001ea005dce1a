//! The leaky bucket: the token bucket's level, read as a queue that drains.
//!
//! A charge is forwarded when what came before it has drained, after ⌈L₀/q⌉, and refused when
//! that exceeds the longest delay. So it is a token bucket whose B·w is max_delay·q + w.

/// B·w for a longest delay, in units of time.
pub(crate) fn full(max_delay: u64, q: u64, w: u64) -> Option<u64> {
    max_delay.checked_mul(q)?.checked_add(w)
}

/// The longest delay, in units of time.
pub(crate) const fn max_delay(full: u64, q: u64, w: u64) -> u64 {
    match full.saturating_sub(w).checked_div(q) {
        Some(delay) => delay,
        None => 0,
    }
}

/// How many units an empty bucket admits at once.
pub(crate) fn capacity(full: u64, w: u64) -> u64 {
    full.checked_div(w).unwrap_or(0)
}

/// How many units of time a charge is held that finds `level` in the bucket.
#[inline]
pub(crate) fn delay(level: u64, q: u64) -> u64 {
    level.div_ceil(q.max(1))
}
