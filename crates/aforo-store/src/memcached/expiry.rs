//! How Memcached is told when a value may go.

use aforo_core::{Span, Timestamp};

/// Memcached reads more seconds than these as a date.
const LONGEST_RELATIVE: u64 = 30 * 86_400;
/// It keeps dates as signed numbers of 32 bits.
const LAST_DATE: u64 = i32::MAX as u64;
/// What a date is later by: Memcached compares it with its own machine's clock.
const SKEW: u64 = 3_600;

/// The number that says `kept` from now: seconds up to 30 days, or else a date by this machine's
/// wall clock. Never zero, which would mean for ever.
pub(super) fn expiry(kept: Span, wall: Timestamp) -> u64 {
    let seconds = kept.as_seconds_ceil().max(1);
    if seconds <= LONGEST_RELATIVE {
        return seconds;
    }
    let date = wall.as_seconds_ceil().saturating_add(seconds);
    date.saturating_add(SKEW).min(LAST_DATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400;
    const WALL: Timestamp = Timestamp::from_seconds(1_700_000_000);

    #[test]
    fn rl_54_more_than_30_days_are_told_as_a_date() {
        let days = |days| expiry(Span::from_seconds(days * DAY), WALL);
        assert_eq!(days(30), 2_592_000);
        assert_eq!(days(60), 1_700_000_000 + 60 * DAY + 3_600);
        let second_more = Span::from_seconds(30 * DAY + 1);
        assert_eq!(expiry(second_more, WALL), 1_700_000_000 + 30 * DAY + 3_601);
    }

    #[test]
    fn rlx_23_an_expiry_is_in_whole_seconds_and_never_for_ever() {
        assert_eq!(expiry(Span::ZERO, WALL), 1);
        assert_eq!(expiry(Span::from_millis(2_500), WALL), 3);
        assert_eq!(expiry(Span::MAX, WALL), 2_147_483_647);
    }
}
