//! Units that were rounded away, stuck, or finer than the clock.

use aforo_core::{Quota, Span, Timestamp};

use crate::caller::{Caller, START, every_algorithm, seconds};

#[test]
fn rl_39_a_refill_below_one_unit_is_not_lost() {
    let mut caller = Caller::of(Quota::token_bucket(100, seconds(1), None).unwrap());
    assert_eq!(caller.admitted(0, 100), 100);
    let polled = (1..=200).filter(|step| caller.hit(step * 5).is_allowed());
    assert_eq!(polled.count(), 100);
}

#[test]
fn rl_39_a_poll_every_10_ms_gets_seven_a_minute() {
    let mut caller = Caller::of(Quota::token_bucket(7, seconds(60), None).unwrap());
    assert_eq!(caller.admitted(0, 7), 7);
    let polled = (1..=6_000).filter(|step| caller.hit(step * 10).is_allowed());
    assert_eq!(polled.count(), 7);
}

#[test]
fn rl_39_a_poll_each_microsecond_does_not_stop_the_refill() {
    let mut caller = Caller::of(Quota::token_bucket(3, Span::from_millis(7), None).unwrap());
    let start = Timestamp::from_seconds(START);
    caller.ask_at(start, 3);
    let polled = (1..=70_000).filter(|step| {
        let now = start.plus(Span::from_micros(*step));
        caller.ask_at(now, 1).is_allowed()
    });
    assert_eq!(polled.count(), 30);
}

#[test]
fn rl_36_denied_attempts_take_nothing() {
    for quota in [
        Quota::sliding_log(2, seconds(6)).unwrap(),
        Quota::fixed_window(2, aforo_core::Window::Length(seconds(6))).unwrap(),
    ] {
        let mut caller = Caller::of(quota);
        for second in [0, 5, 10, 15, 20] {
            assert!(
                caller.hit(second * 1_000).is_allowed(),
                "{second}: {quota:?}"
            );
        }
    }
}

#[test]
fn rl_36_one_that_never_stops_trying_still_gets_its_quota() {
    let window = seconds(600);
    for quota in every_algorithm(10, window) {
        let mut caller = Caller::of(quota);
        // Five a minute against one a minute, for two hours.
        let admitted: Vec<u64> = (0..600)
            .map(|step| step * 12_000)
            .filter(|now| caller.hit(*now).is_allowed())
            .collect();
        for tenth in 1..12 {
            let span = tenth * 600_000..(tenth + 1) * 600_000;
            let passed = admitted.iter().filter(|now| span.contains(*now)).count();
            assert!(
                (9..=11).contains(&passed),
                "{passed} in {span:?}: {quota:?}"
            );
        }
    }
}

#[test]
fn rlx_39_remaining_grows_back() {
    let mut caller = Caller::of(Quota::token_bucket(5, seconds(60), None).unwrap());
    assert_eq!(caller.ask(0, 4).remaining, 1);
    assert_eq!(caller.hit(0).remaining, 0);
    assert_eq!(caller.hit(24_000).remaining, 1);
    assert_eq!(caller.ask(24_000, 0).remaining, 1);
    assert_eq!(caller.ask(84_000, 0).remaining, 5);
}

#[test]
fn rlx_39_remaining_grows_back_to_the_whole_under_every_algorithm() {
    for quota in every_algorithm(6, seconds(60)) {
        let mut caller = Caller::of(quota);
        caller.ask(500, quota.capacity());
        let mut before = 0;
        for now in 1..=260 {
            let remaining = caller.ask(now * 500, 0).remaining;
            assert!(remaining >= before, "{quota:?}");
            before = remaining;
        }
        assert_eq!(before, quota.capacity(), "{quota:?}");
    }
}

#[test]
fn rlx_43_rates_above_the_clocks_resolution() {
    let fast = Quota::token_bucket(2_000_000_000, seconds(1), None).unwrap();
    assert_eq!(Caller::of(fast).admitted(0, 10), 10);
    // A million in a second, asked 1,000 times in each of 1,000 ms: nothing is refused.
    let mut million = Caller::of(Quota::token_bucket(1_000_000, seconds(1), Some(1_000)).unwrap());
    assert!((0..1_000).all(|now| million.ask(now, 1_000).is_allowed()));
    let mut one = Caller::of(Quota::token_bucket(1_000_000, seconds(1), None).unwrap());
    assert_eq!(one.hit(0).whole_again, Span::from_micros(1));
}

#[test]
fn rlx_43_a_rate_that_cannot_be_computed_is_refused_with_the_nearest() {
    use aforo_core::QuotaError;
    // 10^16 + 1 has no divisor in common with 10^6: its products leave 2^53 in every unit.
    let error = Quota::token_bucket(10_000_000_000_000_001, seconds(1), None).unwrap_err();
    let QuotaError::TooFine {
        nearest_amount: Some(nearest),
    } = error
    else {
        panic!("{error:?}");
    };
    assert!(Quota::token_bucket(nearest, seconds(1), None).is_ok());
}
