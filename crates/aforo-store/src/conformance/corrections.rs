//! Refunds, settlements and resets.

use aforo_core::{Quota, Window};

use super::caller::{
    all, at, batch, bucket, charge, clock, fixed, hits, remaining, seconds, stranger, terms,
};
use crate::{ManualClock, Store};

/// A refund gives back what the request took, less what has flowed back by itself.
pub async fn a_refund_gives_back_what_was_taken<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let clock = clock();
    let store = make(clock.clone()).await;
    let caller = stranger(1);
    let log = Quota::sliding_log(10, seconds(60)).expect("a valid quota");
    let sliding = Quota::sliding_window(10, seconds(60)).expect("a valid quota");
    let quotas = [bucket(10, 100, 10), fixed(10, 60), log, sliding];
    let policies = ["bucket", "fixed", "log", "sliding"];
    let policies: Vec<_> = policies
        .into_iter()
        .zip(quotas)
        .map(|(name, quota)| terms(name, quota))
        .collect();
    let request: Vec<_> = policies
        .iter()
        .map(|terms| charge(terms, caller, 4))
        .collect();
    let first = all(&store, &request).await;
    at(&clock, 10);
    let second = all(&store, &request).await;
    let left: Vec<u64> = second.outcomes.iter().map(|o| o.remaining).collect();
    assert_eq!(left, [3, 2, 2, 2]);
    store
        .refund(second.receipt)
        .await
        .expect("the store answers");
    for (terms, left) in policies.iter().zip([7, 6, 6, 6]) {
        assert_eq!(remaining(&store, terms, caller).await, left);
    }
    store
        .refund(first.receipt)
        .await
        .expect("the store answers");
    for terms in &policies {
        assert_eq!(remaining(&store, terms, caller).await, 10);
    }
}

/// Settling gives the rest back or takes more, up to the capacity; also of a charge of nothing.
pub async fn settling_corrects_the_cost<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let store = make(clock()).await;
    let log = Quota::sliding_log(10, seconds(60)).expect("a valid quota");
    let sliding = Quota::sliding_window(10, seconds(60)).expect("a valid quota");
    let quotas = [bucket(10, 60, 10), fixed(10, 60), log, sliding];
    for (number, quota) in quotas.into_iter().enumerate() {
        let (policy, caller) = (terms("policy", quota), stranger(number as u64));
        for (cost, true_cost, left) in [(5, 2, 8), (0, 3, 5), (1, 1, 4), (1, 100, 0)] {
            let charged = all(&store, &[charge(&policy, caller, cost)]).await;
            assert!(charged.taken);
            let asked = |place| {
                assert_eq!(place, 0);
                true_cost
            };
            let settled = store.settle(charged.receipt, &asked);
            settled.await.expect("the store answers");
            assert_eq!(remaining(&store, &policy, caller).await, left);
        }
    }
}

/// What was counted in a window that is over corrects nothing in the next.
pub async fn a_window_is_corrected_while_it_lasts<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    for window in [Window::Length(seconds(60)), Window::FirstHit(seconds(60))] {
        let clock = clock();
        let store = make(clock.clone()).await;
        let quota = Quota::fixed_window(10, window).expect("a valid quota");
        let (policy, caller) = (terms("policy", quota), stranger(1));
        let more = all(&store, &[charge(&policy, caller, 3)]).await.receipt;
        let less = all(&store, &[charge(&policy, caller, 3)]).await.receipt;
        at(&clock, 60);
        assert!(all(&store, &[charge(&policy, caller, 5)]).await.taken);
        store.settle(more, &|_| 9).await.expect("the store answers");
        store.settle(less, &|_| 0).await.expect("the store answers");
        assert_eq!(remaining(&store, &policy, caller).await, 5);
    }
}

/// A reset makes one counter neutral and touches no other.
pub async fn a_reset_frees_one_caller<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let store = make(clock()).await;
    let log = Quota::sliding_log(2, seconds(60)).expect("a valid quota");
    for (number, quota) in [fixed(2, 60), bucket(2, 60, 2), log]
        .into_iter()
        .enumerate()
    {
        let number = number as u64 * 10;
        let (policy, other) = (terms("policy", quota), terms("other", quota));
        let (freed, blocked) = (stranger(number), stranger(number + 1));
        for caller in [freed, blocked] {
            let request = [charge(&policy, caller, 2), charge(&other, caller, 2)];
            assert!(all(&store, &request).await.taken);
        }
        let reset = batch(&[charge(&policy, freed, 1)]);
        store.reset(&reset).await.expect("the store answers");
        assert_eq!(remaining(&store, &policy, freed).await, 2);
        assert!(hits(&store, &policy, freed).await);
        assert!(!hits(&store, &policy, blocked).await);
        assert!(!hits(&store, &other, freed).await);
    }
}
