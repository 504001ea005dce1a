//! Which quotas are accepted, in which unit, and what an error proposes.
#![allow(
    clippy::arithmetic_side_effects,
    reason = "a test that leaves the range shall panic"
)]

use aforo_core::{CalendarUnit, Quota, QuotaError, Span, Unit, Window};
use proptest::prelude::*;

const EXACT: u64 = (1 << 53) - 1;

fn seconds(seconds: u64) -> Span {
    Span::from_seconds(seconds)
}

fn days(days: u64) -> Span {
    seconds(days * 86_400)
}

fn too_fine(nearest_amount: Option<u64>) -> QuotaError {
    QuotaError::TooFine { nearest_amount }
}

#[test]
fn the_finest_unit_that_keeps_the_products() {
    let unit = |amount, window| Quota::token_bucket(amount, window, None).unwrap().unit();
    assert_eq!(unit(60, seconds(60)), Unit::Microsecond);
    assert_eq!(unit(1, days(400)), Unit::Microsecond);
    // 2·10^9 per second reduce to 2,000 per µs.
    assert_eq!(unit(2_000_000_000, seconds(1)), Unit::Microsecond);
    // 1,000,003 is prime: times 8.64·10^10 µs it is 8.6·10^16, times 8.64·10^7 ms 8.6·10^13.
    assert_eq!(unit(1_000_003, days(1)), Unit::Millisecond);
    // 10^9 + 7 is prime: times 8.64·10^7 ms it is 8.6·10^16, times 86,400 s 8.6·10^13.
    assert_eq!(unit(1_000_000_007, days(1)), Unit::Second);
}

#[test]
fn the_burst_counts_too() {
    let unit = |burst| Quota::token_bucket(1, days(1), Some(burst)).map(|quota| quota.unit());
    // w is 8.64·10^10 µs, 8.64·10^7 ms, 86,400 s.
    assert_eq!(unit(EXACT / 86_400_000_000), Ok(Unit::Microsecond));
    assert_eq!(unit(EXACT / 86_400_000_000 + 1), Ok(Unit::Millisecond));
    assert_eq!(unit(EXACT / 86_400_000 + 1), Ok(Unit::Second));
    assert_eq!(unit(EXACT / 86_400), Ok(Unit::Second));
    // One more needs w below 86,400: two a day reduce to one in 43,200 s.
    assert_eq!(unit(EXACT / 86_400 + 1), Err(too_fine(Some(2))));
    assert_eq!(unit(EXACT + 1), Err(too_fine(None)));
}

#[test]
fn a_unit_must_divide_the_window_and_the_delay() {
    let odd = Span::from_micros(1_000_001);
    let error = Quota::fixed_window(1 << 50, Window::Length(odd)).unwrap_err();
    // In 1,000,001 µs = 101 · 9,901 µs such an amount must be a multiple of 1,000,001, so that w
    // is 1; 2^50 lies between 1,125,898,780 and 1,125,898,781 of them, nearer to the latter.
    assert_eq!(error, too_fine(Some(1_125_898_781 * 1_000_001)));
    // Only microseconds divide 1,500 µs: 1,000,003 is prime, 1,000,002 has 6 in common with a day.
    let delayed = |delay| Quota::leaky_bucket(1_000_003, days(1), delay);
    assert_eq!(delayed(seconds(1)).unwrap().unit(), Unit::Millisecond);
    assert_eq!(
        delayed(Span::from_micros(1_500)),
        Err(too_fine(Some(1_000_002)))
    );
}

#[test]
fn a_sliding_window_is_not_reduced() {
    let unit = |amount, window| Quota::sliding_window(amount, window).map(|quota| quota.unit());
    assert_eq!(unit(104_249, days(1)), Ok(Unit::Microsecond));
    assert_eq!(unit(104_250, days(1)), Ok(Unit::Millisecond));
    assert_eq!(unit(104_249_991, days(1)), Ok(Unit::Millisecond));
    assert_eq!(unit(104_249_992, days(1)), Ok(Unit::Second));
    assert_eq!(unit(104_249_991_374, days(1)), Ok(Unit::Second));
    assert_eq!(
        unit(104_249_991_375, days(1)),
        Err(too_fine(Some(104_249_991_374)))
    );
}

#[test]
fn a_calendar_counts_in_microseconds() {
    let calendar = |amount| Quota::fixed_window(amount, Window::Calendar(CalendarUnit::Month));
    let quota = calendar(EXACT).unwrap();
    assert_eq!((quota.unit(), quota.shape().window), (Unit::Microsecond, 0));
    assert_eq!(calendar(EXACT + 1), Err(too_fine(Some(EXACT))));
    assert_eq!(calendar(0), Err(QuotaError::ZeroAmount));
}

#[test]
fn windows_last_from_a_millisecond_to_400_days() {
    let make = |window| -> [Result<Quota, QuotaError>; 6] {
        [
            Quota::token_bucket(1, window, None),
            Quota::leaky_bucket(1, window, Span::ZERO),
            Quota::fixed_window(1, Window::Length(window)),
            Quota::fixed_window(1, Window::FirstHit(window)),
            Quota::sliding_window(1, window),
            Quota::sliding_log(1, window),
        ]
    };
    let longest = days(400);
    for window in [Span::from_millis(1), longest] {
        assert!(make(window).iter().all(Result::is_ok));
    }
    let too_long = longest.plus(Span::from_micros(1));
    for window in [Span::ZERO, Span::from_micros(999), too_long, Span::MAX] {
        for refused in make(window) {
            assert_eq!(refused, Err(QuotaError::WindowOutOfRange));
        }
    }
}

#[test]
fn zeros_and_large_logs_are_refused() {
    let minute = seconds(60);
    assert_eq!(
        Quota::token_bucket(0, minute, None),
        Err(QuotaError::ZeroAmount)
    );
    assert_eq!(
        Quota::token_bucket(1, minute, Some(0)),
        Err(QuotaError::ZeroBurst)
    );
    assert_eq!(
        Quota::sliding_window(0, minute),
        Err(QuotaError::ZeroAmount)
    );
    assert_eq!(
        Quota::sliding_log(10_001, minute),
        Err(QuotaError::LogTooLarge)
    );
    assert!(Quota::sliding_log(10_000, minute).is_ok());
}

#[test]
fn an_error_says_what_was_expected() {
    let text = |error: QuotaError| error.to_string();
    assert!(text(QuotaError::ZeroAmount).contains("at least 1"));
    assert!(text(QuotaError::ZeroBurst).contains("leave it out"));
    assert!(text(QuotaError::WindowOutOfRange).contains("from 1 ms to 400 days"));
    assert!(text(QuotaError::LogTooLarge).contains("at most 10000"));
    assert!(text(too_fine(Some(4_711))).ends_with("the nearest amount that works is 4711"));
    assert!(text(too_fine(None)).contains("smaller burst"));
}

#[test]
fn a_leaky_buckets_capacity_is_what_passes_within_its_delay() {
    let capacity = |delay| {
        Quota::leaky_bucket(60, seconds(60), delay)
            .unwrap()
            .capacity()
    };
    assert_eq!(capacity(Span::ZERO), 1);
    assert_eq!(capacity(Span::from_millis(999)), 1);
    assert_eq!(capacity(seconds(1)), 2);
    assert_eq!(capacity(seconds(10)), 11);
    let quota = Quota::leaky_bucket(60, seconds(60), seconds(3)).unwrap();
    assert_eq!(quota.max_delay(), Some(seconds(3)));
    assert_eq!(Quota::sliding_log(1, seconds(1)).unwrap().max_delay(), None);
}

#[test]
fn nominal_windows() {
    let nominal = |window| Quota::fixed_window(1, window).unwrap().nominal_window();
    assert_eq!(nominal(Window::Length(seconds(90))), Some(seconds(90)));
    assert_eq!(nominal(Window::FirstHit(seconds(90))), Some(seconds(90)));
    assert_eq!(
        nominal(Window::Calendar(CalendarUnit::Minute)),
        Some(seconds(60))
    );
    assert_eq!(
        nominal(Window::Calendar(CalendarUnit::Hour)),
        Some(seconds(3_600))
    );
    assert_eq!(nominal(Window::Calendar(CalendarUnit::Day)), Some(days(1)));
    assert_eq!(nominal(Window::Calendar(CalendarUnit::Week)), Some(days(7)));
    assert_eq!(nominal(Window::Calendar(CalendarUnit::Month)), None);
}

#[test]
fn a_share_is_rounded_up() {
    let quota = Quota::token_bucket(100, seconds(60), Some(10)).unwrap();
    let share = quota.share(3);
    assert_eq!((share.amount(), share.capacity()), (34, 4));
    assert_eq!(quota.share(1), quota);
    assert_eq!(quota.share(0), quota);
    let least = quota.share(u32::MAX);
    assert_eq!((least.amount(), least.capacity()), (1, 1));
    let month = Quota::fixed_window(10, Window::Calendar(CalendarUnit::Month)).unwrap();
    assert_eq!(month.share(4).amount(), 3);
    assert_eq!(month.share(4).window(), month.window());
}

#[test]
fn a_share_that_cannot_be_computed_is_the_nearest_below() {
    // A seventh of it has too little in common with a minute.
    let quota = Quota::token_bucket(6_000_000_000_000_000, seconds(60), Some(6)).unwrap();
    let share = quota.share(7);
    let exact = 6_000_000_000_000_000_u64.div_ceil(7);
    assert!(
        share.amount() <= exact && share.amount() > exact / 100 * 99,
        "{}",
        share.amount()
    );
    assert_eq!(share.capacity(), 1);
}

fn is_accepted(amount: u64, window: Span, burst: Option<u64>) -> bool {
    Quota::token_bucket(amount, window, burst).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// No accepted amount lies nearer than the one proposed.
    #[test]
    fn the_nearest_amount_is_the_nearest(
        // Around the point where a window of a prime number of milliseconds gives out.
        window in prop_oneof![Just(999_983_u64), Just(86_399_999), Just(1_000_003)],
        offset in 0_u64..3_000,
        burst in prop_oneof![Just(None), Just(Some(7_u64))],
    ) {
        let window = Span::from_millis(window);
        let amount = EXACT / (window.as_micros() / 1_000) + offset;
        if let Err(QuotaError::TooFine { nearest_amount }) = Quota::token_bucket(amount, window, burst) {
            let nearest = nearest_amount.unwrap();
            prop_assert!(is_accepted(nearest, window, burst), "{}", nearest);
            let distance = nearest.abs_diff(amount);
            for closer in 1..distance.min(400) {
                prop_assert!(!is_accepted(amount + closer, window, burst), "{}", amount + closer);
                prop_assert!(!is_accepted(amount - closer, window, burst), "{}", amount - closer);
            }
        }
    }

    #[test]
    fn a_share_always_exists_and_is_no_more_than_the_whole(
        amount in 1_u64..1_000_000_000_000, window in 1_u64..34_560_000_000, burst in 1_u64..1_000_000,
        instances: u32,
    ) {
        let window = Span::from_millis(window);
        let quotas = [
            Quota::token_bucket(amount, window, Some(burst)),
            Quota::token_bucket(amount, window, None),
            Quota::leaky_bucket(amount, window, window),
            Quota::fixed_window(amount, Window::Length(window)),
            Quota::sliding_window(amount, window),
            Quota::sliding_log(amount, window),
        ];
        for quota in quotas.into_iter().flatten() {
            let share = quota.share(instances);
            prop_assert!(share.amount() >= 1 && share.amount() <= quota.amount());
            prop_assert!(share.capacity() >= 1 && share.capacity() <= quota.capacity());
            prop_assert_eq!(share.algorithm(), quota.algorithm());
            prop_assert_eq!(share.window(), quota.window());
        }
    }

    #[test]
    fn a_quota_tells_its_numbers_as_they_were_written(
        amount in prop_oneof![1_u64..1_000, 1_u64..10_000_000_000],
        window in 1_u64..34_560_000_000, delay in 0_u64..100_000, burst in 1_u64..1_000_000,
    ) {
        let (window, delay) = (Span::from_millis(window), Span::from_millis(delay));
        let first_hit = Window::FirstHit(window);
        let quotas = [
            (Quota::token_bucket(amount, window, Some(burst)), Window::Length(window), None),
            (Quota::leaky_bucket(amount, window, delay), Window::Length(window), Some(delay)),
            (Quota::fixed_window(amount, first_hit), first_hit, None),
            (Quota::sliding_window(amount, window), Window::Length(window), None),
            (Quota::sliding_log(amount, window), Window::Length(window), None),
        ];
        for (quota, window, delay) in quotas {
            if let Ok(quota) = quota {
                prop_assert_eq!(quota.amount(), amount);
                prop_assert_eq!(quota.window(), window);
                prop_assert_eq!(quota.max_delay(), delay);
            }
        }
    }
}
