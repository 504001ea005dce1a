//! Windows and rates at the ends of what is accepted.

use aforo_core::{Quota, Span, Window};

use super::caller::{at, bucket, clock, fixed, hit, hits, seconds, stranger, terms};
use crate::{ManualClock, Store};

const DAY: u64 = 86_400;

/// A window longer than a month is one, as is one of exactly thirty days.
pub async fn rl_54_a_window_longer_than_a_month_counts<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    for days in [60, 30, 400] {
        let length = seconds(days * DAY);
        let quotas = [
            Ok(fixed(2, days * DAY)),
            Quota::fixed_window(2, Window::FirstHit(length)),
            Ok(bucket(2, days * DAY, 2)),
            Quota::sliding_window(2, length),
            Quota::sliding_log(2, length),
        ];
        let clock = clock();
        let store = make(clock.clone()).await;
        for (number, quota) in quotas.into_iter().enumerate() {
            let policy = terms(&format!("policy-{number}"), quota.expect("a valid quota"));
            let caller = stranger(days);
            let mut taken = Vec::new();
            for second in 0..3 {
                at(&clock, second);
                taken.push(hits(&store, &policy, caller).await);
            }
            assert_eq!(
                taken,
                [true, true, false],
                "{days} days, {:?}",
                policy.quota()
            );
        }
    }
}

/// A unit that takes two and a half seconds to come back is there the first time, and again then.
pub async fn rlx_23_a_low_rate_is_taken_at_first<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let clock = clock();
    let store = make(clock.clone()).await;
    let policy = terms("policy", bucket(24, 60, 1));
    let outcome = hit(&store, &policy, stranger(1)).await;
    assert!(outcome.is_allowed());
    assert_eq!(outcome.whole_again, Span::from_millis(2_500));
    at(&clock, 2);
    assert!(!hits(&store, &policy, stranger(1)).await);
    at(&clock, 3);
    assert!(hits(&store, &policy, stranger(1)).await);
}

/// A rate above one per nanosecond refuses nothing below it and forgets nothing.
pub async fn rlx_43_a_rate_above_the_resolution_counts<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let store = make(clock()).await;
    for amount in [2_000_000_000, 1_000_000] {
        let quota = Quota::token_bucket(amount, seconds(1), None).expect("a valid quota");
        let policy = terms("policy", quota);
        let caller = stranger(amount);
        for taken in 1..=10 {
            let outcome = hit(&store, &policy, caller).await;
            assert_eq!(outcome.remaining, amount - taken);
        }
    }
}

/// A caller that comes back after a century starts anew.
pub async fn a_century_makes_every_counter_neutral<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let clock = clock();
    let store = make(clock.clone()).await;
    let quotas = [
        bucket(2, 400 * DAY, 2),
        fixed(2, 400 * DAY),
        Quota::sliding_window(2, seconds(400 * DAY)).expect("a valid quota"),
        Quota::sliding_log(2, seconds(400 * DAY)).expect("a valid quota"),
    ];
    for (number, quota) in quotas.into_iter().enumerate() {
        let policy = terms(&format!("policy-{number}"), quota);
        for second in [0, 0, 100 * 365 * DAY] {
            at(&clock, second);
            assert!(hits(&store, &policy, stranger(1)).await, "{quota:?}");
        }
    }
}
