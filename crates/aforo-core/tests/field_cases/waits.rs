//! Waits that were truncated, overstated or understated.

use aforo_core::{Quota, Span, Verdict, Window};

use crate::caller::{Caller, every_algorithm, instant, millis, seconds};

#[test]
fn rl_12_sub_second_wait_is_rounded_up() {
    let mut gcra = Caller::of(Quota::token_bucket(5, seconds(1), Some(1)).unwrap());
    gcra.hit(0);
    let denied = gcra.hit(50);
    assert_eq!(denied.wait, millis(150));
    assert_eq!(denied.wait.as_seconds_ceil(), 1);
    assert!(gcra.hit(50 + 1_000).is_allowed());

    let window = Window::Length(seconds(10));
    let mut fixed = Caller::of(Quota::fixed_window(1, window).unwrap());
    fixed.hit(0);
    let denied = fixed.hit(8_100);
    assert_eq!(denied.wait, millis(1_900));
    assert_eq!(denied.wait.as_seconds_ceil(), 2);
    assert!(fixed.hit(8_100 + 2_000).is_allowed());
}

#[test]
fn rl_12_a_lone_caller_that_waits_is_admitted_under_every_algorithm() {
    for quota in every_algorithm(7, millis(2_900)) {
        let (mut caller, mut now, mut denials) = (Caller::of(quota), 1, 0);
        while denials < 40 {
            let outcome = caller.hit(now);
            now += 13;
            if !outcome.is_allowed() {
                denials += 1;
                let retry_after = outcome.wait.as_seconds_ceil();
                assert!(retry_after >= 1, "{quota:?}");
                now += retry_after * 1_000 - 13;
                assert!(caller.hit(now).is_allowed(), "{quota:?}");
            }
        }
    }
}

#[test]
fn rlx_30_wait_counts_the_half_earned_unit_and_the_burst() {
    let mut one = Caller::of(Quota::token_bucket(1, seconds(1), None).unwrap());
    one.hit(0);
    assert_eq!(one.hit(200).wait, millis(800));

    let mut five = Caller::of(Quota::token_bucket(1, seconds(10), Some(5)).unwrap());
    assert_eq!(five.admitted(0, 5), 5);
    assert_eq!(five.hit(0).wait, seconds(10));
    let whole = five.ask(0, 5);
    assert_eq!(whole.verdict, Verdict::Denied);
    assert_eq!(whole.wait, seconds(50));
    assert!(five.ask(50_000, 5).is_allowed());
}

#[test]
fn rlx_30_the_full_capacity_is_never_impossible() {
    for quota in every_algorithm(12, seconds(60)) {
        let mut caller = Caller::of(quota);
        let capacity = quota.capacity();
        assert!(caller.ask(0, capacity).is_allowed(), "{quota:?}");
        let denied = caller.ask(0, capacity);
        assert_eq!(denied.verdict, Verdict::Denied, "{quota:?}");
        let then = instant(0).plus(denied.wait);
        assert!(caller.ask_at(then, capacity).is_allowed(), "{quota:?}");
        let more = caller.ask_at(then, capacity + 1);
        assert_eq!(more.verdict, Verdict::Impossible, "{quota:?}");
    }
}

#[test]
fn rlx_23_time_to_whole_is_in_one_unit_and_never_wraps() {
    let mut caller = Caller::of(Quota::token_bucket(24, seconds(60), None).unwrap());
    let outcome = caller.hit(0);
    assert!(outcome.is_allowed());
    assert_eq!(outcome.whole_again, millis(2_500));
    assert_eq!(outcome.whole_again.as_seconds_ceil(), 3);
}

#[test]
fn rlx_23_time_to_whole_lies_within_the_windows_of_every_algorithm() {
    let day = seconds(86_400);
    for window in [
        millis(1),
        seconds(1),
        seconds(60),
        day,
        seconds(400 * 86_400),
    ] {
        for quota in every_algorithm(24, window) {
            let outcome = Caller::of(quota).hit(0);
            assert!(outcome.is_allowed());
            assert!(outcome.whole_again > Span::ZERO, "{quota:?}");
            let longest = window.plus(window);
            assert!(outcome.whole_again <= longest, "{quota:?}");
        }
    }
}
