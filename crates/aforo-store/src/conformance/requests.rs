//! What becomes of the charges of one request.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use aforo_core::{Mode, OnDenial, Quota, Span, Verdict, Window};

use super::caller::{
    START, all, at, batch, bucket, charge, clock, fixed, hit, hits, known, remaining, seconds,
    stranger, terms,
};
use crate::{Batch, Charged, ManualClock, Store};

/// Either every enforced charge is taken or none, also when they cost more than one.
pub async fn all_or_nothing<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let store = make(clock()).await;
    let policies = [
        terms("bucket", bucket(10, 60, 10)),
        terms("window", fixed(10, 60)),
        terms("tight", fixed(5, 60)),
    ];
    let caller = stranger(1);
    let charges = |costs: [u64; 3]| {
        let charges = policies.iter().zip(costs);
        charges
            .map(|(terms, cost)| charge(terms, caller, cost))
            .collect::<Vec<_>>()
    };
    let first = all(&store, &charges([4, 4, 4])).await;
    assert!(first.taken);
    assert_eq!(first.receipt.lines().len(), 3);
    let denied = all(&store, &charges([4, 4, 2])).await;
    assert!(!denied.taken);
    assert!(denied.receipt.lines().is_empty());
    let verdicts: Vec<Verdict> = denied.outcomes.iter().map(|o| o.verdict).collect();
    assert_eq!(
        verdicts,
        [Verdict::Allowed, Verdict::Allowed, Verdict::Denied]
    );
    let left: Vec<u64> = denied.outcomes.iter().map(|o| o.remaining).collect();
    assert_eq!(left, [6, 6, 1]);
    let impossible = all(&store, &charges([1, 1, 6])).await;
    assert!(!impossible.taken);
    assert_eq!(impossible.outcomes[2].verdict, Verdict::Impossible);
    let last = all(&store, &charges([6, 6, 1])).await;
    assert!(last.taken);
    let left: Vec<u64> = last.outcomes.iter().map(|o| o.remaining).collect();
    assert_eq!(left, [0, 0, 0]);
}

/// A shadow charge that does not fit is reported and neither blocks nor is taken; one that fits
/// is taken only when the request is.
pub async fn a_shadow_charge_never_blocks<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let store = make(clock()).await;
    let (enforced, watched) = (
        terms("enforced", fixed(3, 60)),
        terms("watched", fixed(2, 60)),
    );
    let caller = stranger(1);
    let shadow = |cost| {
        let mut charge = charge(&watched, caller, cost);
        charge.mode = Mode::Shadow;
        charge
    };
    let over = all(&store, &[charge(&enforced, caller, 1), shadow(3)]).await;
    assert!(over.taken);
    assert_eq!(over.outcomes[1].verdict, Verdict::Impossible);
    assert_eq!(over.receipt.lines().len(), 1);
    let denied = all(&store, &[charge(&enforced, caller, 3), shadow(1)]).await;
    assert!(!denied.taken);
    assert_eq!(denied.outcomes[1].verdict, Verdict::Allowed);
    assert_eq!(remaining(&store, &watched, caller).await, 2);
    let both = all(&store, &[charge(&enforced, caller, 1), shadow(1)]).await;
    assert_eq!(
        (both.outcomes[0].remaining, both.outcomes[1].remaining),
        (1, 1)
    );
    assert_eq!(both.receipt.lines().len(), 2);
}

/// A policy that counts denials is filled up when the request is denied, never beyond its
/// capacity, by whichever policy it was denied.
pub async fn a_denial_is_counted_up_to_the_capacity<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let store = make(clock()).await;
    let log = Quota::sliding_log(5, seconds(60)).expect("a valid quota");
    for (number, quota) in [fixed(5, 60), bucket(5, 60, 5), log]
        .into_iter()
        .enumerate()
    {
        let caller = stranger(number as u64);
        let (counting, other) = (terms("counting", quota), terms("other", fixed(1, 60)));
        let counted = |cost| {
            let mut charge = charge(&counting, caller, cost);
            charge.on_denial = OnDenial::Take;
            charge
        };
        let fits = all(&store, &[counted(3), charge(&other, caller, 2)]).await;
        assert!(!fits.taken);
        assert!(fits.receipt.lines().is_empty());
        let outcome = fits.outcomes[0];
        assert_eq!((outcome.verdict, outcome.remaining), (Verdict::Allowed, 2));
        let filled = all(&store, &[counted(4)]).await;
        assert!(!filled.taken);
        let outcome = filled.outcomes[0];
        assert_eq!((outcome.verdict, outcome.remaining), (Verdict::Denied, 0));
        let wait = match quota.algorithm() {
            aforo_core::Algorithm::TokenBucket => 48,
            _ => 60,
        };
        assert_eq!(outcome.wait, seconds(wait));
        assert_eq!(remaining(&store, &counting, caller).await, 0);
        assert_eq!(remaining(&store, &other, caller).await, 1);
    }
}

/// The same policy and partition key named twice counts once, at the larger cost.
pub async fn a_policy_named_twice_counts_once<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let store = make(clock()).await;
    let (once, caller) = (terms("once", fixed(10, 60)), stranger(1));
    let charges = [charge(&once, caller, 2), charge(&once, caller, 3)];
    let twice = all(&store, &charges).await;
    assert_eq!(twice.outcomes.len(), 1);
    assert_eq!(twice.outcomes[0].remaining, 7);
    let mut watched = charge(&once, caller, 1);
    watched.mode = Mode::Shadow;
    let enforced = all(&store, &[watched, charge(&once, caller, 8)]).await;
    assert!(!enforced.taken, "it is enforced if either is");
    let mut summed = Batch::new();
    assert_eq!(summed.push_summed(charges[0]), 0);
    assert_eq!(summed.push_summed(charges[1]), 0);
    let summed = store.charge(&summed).await.expect("the store answers");
    assert_eq!(summed.outcomes[0].remaining, 2);
}

/// A peek answers as a charge would and changes nothing.
pub async fn peeking_takes_nothing<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let store = make(clock()).await;
    let (policy, caller) = (terms("policy", bucket(10, 60, 10)), stranger(1));
    let asked = batch(&[charge(&policy, caller, 6)]);
    for _ in 0..3 {
        let peeked = store.peek(&asked).await.expect("the store answers");
        assert!(peeked.taken && peeked.receipt.lines().is_empty());
        assert_eq!(peeked.outcomes[0].remaining, 4);
    }
    let charged = store.charge(&asked).await.expect("the store answers");
    assert_eq!(charged.outcomes[0].remaining, 4);
    let peeked = store.peek(&asked).await.expect("the store answers");
    assert!(!peeked.taken);
    assert_eq!(peeked.outcomes[0].wait, seconds(12));
}

/// Known principals and strangers never share a counter.
pub async fn callers_of_either_kind_count_apart<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let store = make(clock()).await;
    let policy = terms("policy", fixed(1, 60));
    assert!(hits(&store, &policy, known(1)).await);
    assert!(hits(&store, &policy, stranger(2)).await);
    assert!(!hits(&store, &policy, known(1)).await);
    assert!(!hits(&store, &policy, stranger(2)).await);
}

/// A request without policies passes.
pub async fn an_empty_batch_is_taken<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let store = make(clock()).await;
    let charged = all(&store, &[]).await;
    assert!(charged.taken && charged.outcomes.is_empty() && charged.receipt.lines().is_empty());
}

/// Of 25 requests at once on a cold caller exactly 10 pass, and of 10 at once with one unit left
/// exactly one.
pub async fn rl_04_a_burst_at_once_is_not_let_through<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let store = make(clock()).await;
    let log = Quota::sliding_log(10, seconds(60)).expect("a valid quota");
    for (number, quota) in [fixed(10, 60), bucket(10, 60, 10), log]
        .into_iter()
        .enumerate()
    {
        let policy = terms("policy", quota);
        let one = batch(&[charge(&policy, stranger(number as u64), 1)]);
        assert_eq!(at_once(&store, &one, 25).await, 10);
        let primed = batch(&[charge(&policy, stranger(100 + number as u64), 9)]);
        assert_eq!(at_once(&store, &primed, 1).await, 1);
        let one = batch(&[charge(&policy, stranger(100 + number as u64), 1)]);
        assert_eq!(at_once(&store, &one, 10).await, 1);
    }
}

/// Sends a batch many times before any answer is awaited; says how many were taken.
async fn at_once<S: Store>(store: &S, batch: &Batch<'_>, times: usize) -> usize {
    type Asked<'a> = Pin<Box<dyn Future<Output = Charged> + 'a>>;
    let mut asked: Vec<Asked<'_>> = Vec::new();
    for _ in 0..times {
        asked.push(Box::pin(async {
            store.charge(batch).await.expect("the store answers")
        }));
    }
    let mut taken = 0;
    poll_fn(move |context| {
        asked.retain_mut(|answer| match answer.as_mut().poll(context) {
            Poll::Ready(charged) => {
                taken += usize::from(charged.taken);
                false
            }
            Poll::Pending => true,
        });
        match asked.is_empty() {
            true => Poll::Ready(taken),
            false => Poll::Pending,
        }
    })
    .await
}

/// However many new callers come, a blocked one stays blocked.
pub async fn rl_14_new_callers_do_not_free_a_blocked_one<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let clock = clock();
    let store = make(clock.clone()).await;
    let (policy, blocked) = (terms("policy", fixed(2, 60)), stranger(0));
    assert!(hits(&store, &policy, blocked).await && hits(&store, &policy, blocked).await);
    for number in 1..2_000 {
        hit(&store, &policy, stranger(number)).await;
        clock.advance(Span::from_millis(10));
    }
    let outcome = hit(&store, &policy, blocked).await;
    assert_eq!(outcome.verdict, Verdict::Denied);
    assert_eq!(outcome.edge, Some(START.plus(seconds(60))));
}

/// A request that one policy refuses spends none of the others.
pub async fn rl_21_a_blocked_request_spends_nothing<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let clock = clock();
    let store = make(clock.clone()).await;
    let minute = terms("minute", fixed(10, 60));
    let half_hour = terms("half-hour", fixed(30, 1_800));
    let site = terms("site", fixed(100, 60));
    let everyone = known(0);
    let request = |user| {
        [
            charge(&minute, stranger(user), 1),
            charge(&half_hour, stranger(user), 1),
            charge(&site, everyone, 1),
        ]
    };
    let mut taken = 0;
    for hit in 0..31 {
        at(&clock, hit / 3);
        taken += u32::from(all(&store, &request(1)).await.taken);
    }
    assert_eq!(taken, 10);
    assert_eq!(remaining(&store, &half_hour, stranger(1)).await, 20);
    assert_eq!(remaining(&store, &site, everyone).await, 90);
    for user in 2..92 {
        assert!(all(&store, &request(user)).await.taken);
    }
    assert_eq!(remaining(&store, &site, everyone).await, 0);
    at(&clock, 61);
    assert!(all(&store, &request(1)).await.taken);
}

/// Two windows on one caller are two counters.
pub async fn rl_30_two_windows_on_one_caller_count_apart<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let store = make(clock()).await;
    let (minute, day) = (
        terms("minute", fixed(5, 60)),
        terms("day", fixed(50, 86_400)),
    );
    let caller = stranger(1);
    let request = [charge(&minute, caller, 1), charge(&day, caller, 1)];
    for _ in 0..5 {
        assert!(all(&store, &request).await.taken);
    }
    let sixth = all(&store, &request).await;
    assert!(!sixth.taken);
    assert_eq!(sixth.outcomes[1].remaining, 45);
}

/// Policies with equal numbers count apart; one policy used in two places counts once.
pub async fn rl_33_equal_numbers_count_apart<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let clock = clock();
    let store = make(clock.clone()).await;
    let (a, b) = (
        terms("route-a", fixed(3, 60)),
        terms("route-b", fixed(3, 60)),
    );
    let caller = stranger(1);
    assert_eq!(hit(&store, &a, caller).await.remaining, 2);
    at(&clock, 1);
    assert_eq!(hit(&store, &b, caller).await.remaining, 2);
    let (here, there) = (terms("shared", fixed(3, 60)), terms("shared", fixed(3, 60)));
    assert!(hits(&store, &here, caller).await);
    assert!(hits(&store, &there, caller).await);
    assert!(hits(&store, &here, caller).await);
    assert!(!hits(&store, &there, caller).await);
}

/// A first-hit window ends for the caller that began it, not for all at once.
pub async fn rlx_15_a_window_ends_for_its_caller_alone<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let clock = clock();
    let store = make(clock.clone()).await;
    let quota = Quota::fixed_window(2, Window::FirstHit(seconds(60))).expect("a valid quota");
    let (policy, a, b) = (terms("policy", quota), stranger(1), stranger(2));
    assert!(hits(&store, &policy, a).await && hits(&store, &policy, a).await);
    at(&clock, 50);
    assert!(hits(&store, &policy, b).await && hits(&store, &policy, b).await);
    at(&clock, 60);
    assert!(hits(&store, &policy, a).await);
    for second in [61, 109] {
        at(&clock, second);
        assert!(!hits(&store, &policy, b).await);
    }
    at(&clock, 110);
    assert!(hits(&store, &policy, b).await);
}

/// The store's clock picks the window, whatever those who ask believe.
pub async fn rlx_34_the_store_s_time_decides<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let clock = clock();
    let store = make(clock.clone()).await;
    let (policy, caller) = (terms("policy", fixed(2, 10)), stranger(1));
    at(&clock, 7);
    let first = hit(&store, &policy, caller).await;
    let second = hit(&store, &policy, caller).await;
    at(&clock, 8);
    let third = hit(&store, &policy, caller).await;
    assert!(first.is_allowed() && second.is_allowed() && !third.is_allowed());
    let edges = [first, second, third].map(|outcome| outcome.edge);
    assert_eq!(edges, [Some(START.plus(seconds(10))); 3]);
    assert_eq!(third.wait, seconds(2));
    assert_eq!(third.at, START.plus(seconds(8)));
}
