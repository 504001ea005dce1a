//! Quotas that change while callers are counted.

use aforo_core::{Outcome, Quota, QuotaError, Window};

use crate::caller::{Caller, every_algorithm, seconds};

fn lowered(before: Quota, after: Quota) -> Outcome {
    let mut caller = Caller::of(before);
    assert_eq!(caller.admitted(0, 5), 5, "{before:?}");
    caller.quota = after;
    caller.hit(0)
}

#[test]
fn rl_35_a_new_amount_applies_to_callers_already_counted() {
    let minute = seconds(60);
    let (before, after) = (every_algorithm(100, minute), every_algorithm(2, minute));
    for from in &before {
        for to in &after {
            let denied = lowered(*from, *to);
            assert!(!denied.is_allowed(), "{from:?} to {to:?}");
            assert_eq!((denied.capacity, denied.remaining), (to.capacity(), 0));
            assert!(Caller::of(*to).hit(0).is_allowed(), "a new caller");
        }
    }
}

#[test]
fn rl_35_through_zero_and_up_again() {
    let minute = Window::Length(seconds(60));
    let mut caller = Caller::of(Quota::fixed_window(30, minute).unwrap());
    caller.admitted(0, 5);
    // Zero is no quota: it blocks without asking the store, and the state stays.
    assert_eq!(Quota::fixed_window(0, minute), Err(QuotaError::ZeroAmount));
    caller.quota = Quota::fixed_window(150, minute).unwrap();
    let outcome = caller.hit(1_000);
    assert_eq!((outcome.capacity, outcome.remaining), (150, 144));
}

#[test]
fn rl_58_raised_and_lowered_remaining_stays_a_number() {
    let minute = Window::Length(seconds(60));
    let mut caller = Caller::of(Quota::fixed_window(2, minute).unwrap());
    assert_eq!(caller.admitted(0, 2), 2);
    caller.quota = Quota::fixed_window(10, minute).unwrap();
    assert_eq!(caller.admitted(0, 5), 5);
    let peek = caller.ask(0, 0);
    assert_eq!((peek.capacity, peek.remaining), (10, 3));
    caller.quota = Quota::fixed_window(1, minute).unwrap();
    let peek = caller.ask(0, 0);
    assert_eq!((peek.capacity, peek.remaining), (1, 0));
}

#[test]
fn rl_58_any_change_leaves_what_was_used() {
    let minute = seconds(60);
    for from in every_algorithm(2, minute) {
        for to in every_algorithm(10, minute) {
            let mut caller = Caller::of(from);
            assert_eq!(caller.admitted(0, 2), 2);
            caller.quota = to;
            let left = to.capacity() - 2;
            assert_eq!(caller.ask(0, 0).remaining, left, "{from:?} to {to:?}");
            assert_eq!(caller.ask(0, 5).remaining, left - 5);
            caller.quota = from;
            assert_eq!(caller.ask(0, 0).remaining, 0, "{to:?} to {from:?}");
        }
    }
}

#[test]
fn rlx_33_a_shorter_window_frees_at_its_own_pace() {
    let (hour, ten) = (Window::Length(seconds(3_600)), Window::Length(seconds(10)));
    let mut caller = Caller::of(Quota::fixed_window(2, hour).unwrap());
    assert_eq!(caller.admitted(0, 2), 2);
    caller.quota = Quota::fixed_window(2, ten).unwrap();
    assert!(caller.hit(11_000).is_allowed());
    // Back to the hour, the one hit counts and the old two do not come back.
    caller.quota = Quota::fixed_window(2, hour).unwrap();
    assert_eq!(caller.ask(11_000, 0).remaining, 1);
}

#[test]
fn rlx_33_whatever_the_algorithm_the_new_window_ends_the_wait() {
    for from in every_algorithm(2, seconds(3_600)) {
        for to in every_algorithm(2, seconds(10)) {
            let mut caller = Caller::of(from);
            caller.ask(0, from.capacity());
            caller.quota = to;
            assert!(caller.hit(20_000).is_allowed(), "{from:?} to {to:?}");
        }
    }
}

#[test]
fn rl_28_a_reload_of_the_same_quota_changes_nothing() {
    let quota = || Quota::token_bucket(1, seconds(60), Some(5)).unwrap();
    let mut caller = Caller::of(quota());
    assert_eq!(caller.admitted(0, 6), 5);
    for _ in 0..3 {
        caller.quota = quota();
        assert!(!caller.hit(0).is_allowed());
    }
}

#[test]
fn rl_28_an_unchanged_quota_keeps_its_state_to_the_bit() {
    let minute = seconds(60);
    let reloads = every_algorithm(7, minute)
        .into_iter()
        .zip(every_algorithm(7, minute));
    for (quota, reloaded) in reloads {
        assert_eq!(quota.shape(), reloaded.shape());
        let (mut one, mut other) = (Caller::of(quota), Caller::of(quota));
        for now in (0..200_000).step_by(3_331) {
            other.quota = if now % 2 == 0 { quota } else { reloaded };
            assert_eq!(one.hit(now), other.hit(now));
            assert_eq!(one.counter.state(), other.counter.state());
        }
    }
}
