//! Clocks that go back, or disagree.

use aforo_core::{Quota, Window};

use crate::caller::{Caller, every_algorithm, instant, seconds};

#[test]
fn rl_24_a_slow_clock_does_not_refill_twice() {
    let mut caller = Caller::of(Quota::token_bucket(2, seconds(1), Some(4)).unwrap());
    let total =
        caller.admitted(1_000_000, 5) + caller.admitted(990_000, 1) + caller.admitted(1_000_000, 5);
    assert_eq!(total, 4);
}

#[test]
fn rl_24_no_swing_of_two_clocks_admits_more_under_any_algorithm() {
    for quota in every_algorithm(4, seconds(2)) {
        for behind in [1, 10, 1_999, 2_000, 10_000, 59_999, 60_000] {
            let mut caller = Caller::of(quota);
            let mut total = 0;
            for _ in 0..20 {
                total += caller.admitted(1_000_000, 5);
                total += caller.admitted(1_000_000 - behind, 5);
            }
            assert_eq!(total, quota.capacity(), "{behind} ms: {quota:?}");
        }
    }
}

#[test]
fn rl_24_a_clock_set_far_back_gains_at_most_one_refill_for_each_return() {
    for quota in every_algorithm(4, seconds(2)) {
        let mut caller = Caller::of(quota);
        let swings = 20;
        let total: u64 = (0..swings)
            .map(|_| caller.admitted(1_000_000, 8) + caller.admitted(500_000, 8))
            .sum();
        let most = quota.capacity() * (swings + 1);
        assert!(total <= most, "{total}: {quota:?}");
    }
}

#[test]
fn rlx_34_the_stores_time_decides_and_all_see_one_reset() {
    let quota = Quota::fixed_window(2, Window::Length(seconds(10))).unwrap();
    let mut shared = Caller::of(quota);
    let resets = [7_000, 7_000, 8_000].map(|now| {
        let outcome = shared.hit(now);
        (outcome.is_allowed(), instant(now).plus(outcome.whole_again))
    });
    let reset = instant(10_000);
    assert_eq!(resets, [(true, reset), (true, reset), (false, reset)]);
}

#[test]
fn rlx_34_a_store_without_a_clock_still_tells_one_reset() {
    for quota in every_algorithm(2, seconds(10)) {
        let mut shared = Caller::of(quota);
        shared.ask(11_000, quota.capacity());
        // One instance is four seconds ahead: both tell the same instant.
        let instants = [8_000, 12_000].map(|now| instant(now).plus(shared.hit(now).wait));
        assert_eq!(instants[0], instants[1], "{quota:?}");
    }
}
