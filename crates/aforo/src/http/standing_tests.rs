use aforo_core::{CalendarUnit, Window};
use proptest::prelude::*;

use super::super::test_outcomes::*;
use super::*;

fn seconds_of(policy: &ShownPolicy<'_>, denied: bool) -> Option<u64> {
    Standing::of(policy).unwrap().seconds(denied)
}

#[test]
fn a_bucket_tells_the_time_in_which_its_rest_may_be_spent() {
    let quota = bucket(1_000, seconds(60), Some(200));
    let rest = allowed(&quota, 42, millis(60), millis(9_480));
    assert_eq!(
        seconds_of(&shown("p", &quota, rest), false),
        Some(3),
        "42·60/1000 = 2.52"
    );
    let slow = bucket(1, seconds(60), Some(5));
    let rest = allowed(&slow, 1, millis(59_001), seconds(240));
    assert_eq!(seconds_of(&shown("p", &slow, rest), false), Some(60));
}

#[test]
fn the_next_unit_is_never_promised_too_early() {
    let quota = bucket(10, seconds(60), None);
    let rest = allowed(&quota, 0, millis(5_001), seconds(60));
    assert_eq!(seconds_of(&shown("p", &quota, rest), false), Some(6));
    let long = allowed(&quota, 1, millis(6_500), seconds(54));
    assert_eq!(
        seconds_of(&shown("p", &quota, long), false),
        Some(7),
        "6 by rate, 7 by unit"
    );
}

#[test]
fn a_full_policy_tells_no_time() {
    let quota = bucket(10, seconds(60), None);
    let full = allowed(&quota, 10, Span::ZERO, Span::ZERO);
    let policy = shown("p", &quota, full);
    assert_eq!(seconds_of(&policy, false), None);
    let standing = Standing::of(&policy).unwrap();
    assert_eq!(standing.reset_seconds(None), Some(1_000_000));
}

#[test]
fn a_fixed_window_tells_its_edge() {
    let quota = fixed(100, seconds(60));
    let edge = AT.plus(millis(20_001));
    let passed = until(edge, allowed(&quota, 99, millis(20_001), millis(20_001)));
    let policy = shown("p", &quota, passed);
    assert_eq!(seconds_of(&policy, false), Some(21));
    assert_eq!(
        Standing::of(&policy).unwrap().reset_seconds(None),
        Some(1_000_021)
    );
    let refused = until(edge, denied(&quota, 3, millis(20_001), millis(20_001)));
    assert_eq!(seconds_of(&violated("p", &quota, refused), true), Some(21));
}

#[test]
fn a_denial_tells_the_next_unit_of_violated_policies_alone() {
    let quota = bucket(60, seconds(60), Some(10));
    let refused = denied(&quota, 3, millis(1_900), millis(900));
    assert_eq!(seconds_of(&violated("p", &quota, refused), true), Some(1));
    let beside = allowed(&quota, 3, millis(900), seconds(7));
    assert_eq!(seconds_of(&shown("p", &quota, beside), true), None);
}

#[test]
fn an_impossible_cost_tells_times_as_if_nothing_was_asked() {
    let quota = bucket(60, seconds(60), Some(10));
    let impossible = Outcome {
        verdict: Verdict::Impossible,
        ..allowed(&quota, 3, millis(900), seconds(7))
    };
    let policy = violated("p", &quota, impossible);
    assert_eq!(seconds_of(&policy, true), Some(3));
    let standing = Standing::of(&policy).unwrap();
    assert_eq!(standing.reset_seconds(Some(seconds(5))), Some(1_000_003));
}

#[test]
fn a_reset_is_rounded_up_and_carries_jitter_on_a_denial_only() {
    let quota = bucket(60, seconds(60), Some(10));
    let late = AT.plus(millis(1));
    let refused = Outcome {
        at: late,
        ..denied(&quota, 0, millis(1_500), millis(1_500))
    };
    let policy = violated("p", &quota, refused);
    let standing = Standing::of(&policy).unwrap();
    assert_eq!(standing.reset_seconds(Some(Span::ZERO)), Some(1_000_002));
    assert_eq!(standing.reset_seconds(Some(seconds(3))), Some(1_000_005));
    let passed = Outcome {
        at: late,
        ..allowed(&quota, 5, millis(200), millis(4_200))
    };
    let policy = shown("p", &quota, passed);
    assert_eq!(
        Standing::of(&policy).unwrap().reset_seconds(None),
        Some(1_000_006)
    );
}

#[test]
fn a_window_is_told_when_it_is_whole_seconds() {
    let windows = [
        (Window::Length(seconds(60)), Some(60)),
        (Window::Length(millis(1_500)), None),
        (Window::Length(millis(500)), None),
        (Window::FirstHit(seconds(900)), Some(900)),
        (Window::Calendar(CalendarUnit::Hour), Some(3_600)),
        (Window::Calendar(CalendarUnit::Week), Some(604_800)),
        (Window::Calendar(CalendarUnit::Month), None),
    ];
    for (window, expected) in windows {
        let quota = Quota::fixed_window(10, window).unwrap();
        let policy = shown("p", &quota, allowed(&quota, 9, seconds(1), seconds(1)));
        let standing = Standing::of(&policy).unwrap();
        assert_eq!(standing.window_seconds(), expected, "{window:?}");
    }
}

#[test]
fn a_burst_is_told_when_it_is_another_number_than_the_quota() {
    let cases = [
        (bucket(60, seconds(60), Some(10)), Some(10)),
        (bucket(60, seconds(60), Some(60)), None),
        (bucket(60, seconds(60), None), None),
        (sliding(60, seconds(60)), None),
        (fixed(60, seconds(60)), None),
        (
            Quota::leaky_bucket(60, seconds(60), seconds(5)).unwrap(),
            None,
        ),
    ];
    for (quota, expected) in cases {
        let policy = shown("p", &quota, allowed(&quota, 1, seconds(1), seconds(1)));
        assert_eq!(
            Standing::of(&policy).unwrap().burst(),
            expected,
            "{quota:?}"
        );
    }
}

#[test]
fn hidden_policies_and_those_whose_store_failed_have_no_standing() {
    let quota = sliding(60, seconds(60));
    let policy = shown("p", &quota, allowed(&quota, 1, seconds(1), seconds(1)));
    assert!(Standing::of(&hidden(policy)).is_none());
    let failed = ShownPolicy {
        outcome: None,
        ..policy
    };
    assert!(Standing::of(&failed).is_none());
    let zero = Standing::of(&blocked("p")).unwrap().remaining();
    assert_eq!(zero, 0);
}

proptest! {
    /// r·w ≤ t·q: spending r evenly within t is never faster than the quota.
    #[test]
    fn r_within_t_is_never_faster_than_the_quota(
        amount in 1_u64..1_000_000,
        window in 1_u64..400 * 86_400_000,
        share in 0_u64..=1_000,
        next in 0_u64..400 * 86_400_000,
    ) {
        let Ok(quota) = Quota::sliding_window(amount, millis(window)) else {
            return Ok(());
        };
        let remaining = amount * share / 1_000;
        let outcome = allowed(&quota, remaining, millis(next), seconds(1));
        let told = seconds_of(&shown("p", &quota, outcome), false).unwrap();
        let within = u128::from(told) * 1_000 * u128::from(amount);
        prop_assert!(u128::from(remaining) * u128::from(window) <= within);
        prop_assert!(told * 1_000 >= next);
        if told > 0 {
            let earlier = u128::from(told - 1) * 1_000 * u128::from(amount);
            prop_assert!(
                u128::from(remaining) * u128::from(window) > earlier || (told - 1) * 1_000 < next,
                "not longer than needed"
            );
        }
    }
}
