//! What a changed file does to what was counted.

use aforo_core::{Quota, Verdict};

use super::caller::{at, bucket, clock, fixed, hit, hits, remaining, seconds, stranger, terms};
use crate::{ManualClock, Store};

/// A reload that does not touch a policy does not refill it.
pub async fn rl_28_an_unchanged_policy_keeps_its_state<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let store = make(clock()).await;
    let caller = stranger(1);
    for _ in 0..5 {
        assert!(hits(&store, &terms("policy", bucket(1, 60, 5)), caller).await);
    }
    for _ in 0..4 {
        let reloaded = terms("policy", bucket(1, 60, 5));
        let outcome = hit(&store, &reloaded, caller).await;
        assert_eq!(outcome.verdict, Verdict::Denied);
        assert_eq!(outcome.wait, seconds(60));
    }
}

/// A lowered quota holds for callers that exist, a raised one too.
pub async fn rl_35_a_changed_quota_holds_at_once<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let log = |amount| Quota::sliding_log(amount, seconds(60)).expect("a valid quota");
    let sliding = |amount| Quota::sliding_window(amount, seconds(60)).expect("a valid quota");
    let quotas: [&dyn Fn(u64) -> Quota; 4] = [
        &|amount| fixed(amount, 60),
        &|amount| bucket(amount, 60, amount),
        &log,
        &sliding,
    ];
    for quota in quotas {
        let store = make(clock()).await;
        let (old, new) = (stranger(1), stranger(2));
        for _ in 0..5 {
            assert!(hits(&store, &terms("policy", quota(100)), old).await);
        }
        let lowered = terms("policy", quota(2));
        let outcome = hit(&store, &lowered, old).await;
        assert_eq!((outcome.verdict, outcome.capacity), (Verdict::Denied, 2));
        assert_eq!(outcome.remaining, 0);
        assert!(hits(&store, &lowered, new).await);
        assert_eq!(
            remaining(&store, &terms("policy", quota(150)), new).await,
            149
        );
    }
}

/// What was used never makes a remainder underflow.
pub async fn rl_58_a_raised_and_lowered_quota_saturates<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let store = make(clock()).await;
    let caller = stranger(1);
    let quota = |amount| terms("policy", fixed(amount, 60));
    assert!(hits(&store, &quota(2), caller).await && hits(&store, &quota(2), caller).await);
    for _ in 0..5 {
        assert!(hits(&store, &quota(10), caller).await);
    }
    assert_eq!(remaining(&store, &quota(10), caller).await, 3);
    assert_eq!(remaining(&store, &quota(1), caller).await, 0);
}

/// A shortened window frees a caller when the short one is over.
pub async fn rlx_33_a_shorter_window_ends_sooner<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let clock = clock();
    let store = make(clock.clone()).await;
    let (long, short) = (
        terms("policy", fixed(2, 3_600)),
        terms("policy", fixed(2, 10)),
    );
    let caller = stranger(1);
    assert!(hits(&store, &long, caller).await && hits(&store, &long, caller).await);
    assert!(!hits(&store, &short, caller).await);
    at(&clock, 11);
    assert!(hits(&store, &short, caller).await);
}

/// A policy that changes its algorithm starts with what was used under the one before.
pub async fn another_algorithm_takes_over_what_was_used<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let store = make(clock()).await;
    let caller = stranger(1);
    let log = Quota::sliding_log(10, seconds(60)).expect("a valid quota");
    let sliding = Quota::sliding_window(10, seconds(60)).expect("a valid quota");
    let quotas = [
        bucket(10, 60, 10),
        log,
        fixed(10, 60),
        sliding,
        log,
        bucket(10, 60, 10),
    ];
    for (used, quota) in (1..).zip(quotas) {
        let outcome = hit(&store, &terms("policy", quota), caller).await;
        assert_eq!(outcome.remaining, 10 - used);
    }
}
