//! What a caller sees, and what becomes of what is left.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};

use aforo_core::{Span, Verdict};
use aforo_store::{Answer, Batch, Charged, LeasedStore, Receipt, Store, StoreError};

use super::scene::{Scene, batch, bucket, done, fixed, sliding, terms};

/// Charges an instance until it has just taken 4 in advance: the store then holds 6 of it.
fn with_a_lease(terms: &aforo_core::Terms) -> Scene {
    let scene = Scene::new(2);
    assert!(scene.admits(0, terms, 1));
    assert!(scene.admits(0, terms, 1));
    assert_eq!(scene.instances[0].stats().leases, 1);
    scene
}

#[test]
fn a_hot_partition_key_is_answered_without_asking() {
    let terms = fixed(100, 3_600);
    let scene = with_a_lease(&terms);
    assert_eq!(scene.remaining(&terms), 94);
    for left in (0..4).rev() {
        let batch = batch(&[&terms], 1);
        let answer = scene.instances[0].charge(&batch);
        assert!(matches!(answer, Answer::Ready(_)));
        let charged = done(answer);
        assert!(charged.taken);
        assert_eq!(charged.outcomes[0].remaining, 94 + left);
        assert_eq!(charged.outcomes[0].verdict, Verdict::Allowed);
        assert_eq!(scene.remaining(&terms), 94);
    }
    assert_eq!(scene.charge(0, &terms, 1).outcomes[0].remaining, 93);
    assert_eq!(scene.remaining(&terms), 85, "one more, and 8 in advance");
    assert_eq!(scene.instances[0].stats().answered, 4);
}

#[test]
fn a_partition_key_that_asks_now_and_then_is_exact() {
    let terms = bucket(100, 1, 100);
    let scene = Scene::new(1);
    for _ in 0..20 {
        assert!(scene.admits(0, &terms, 1));
        assert_eq!(scene.remaining(&terms), 99);
        scene.millis(1_000);
    }
    assert_eq!(scene.instances[0].stats().leases, 0);
}

#[test]
fn small_quotas_and_other_algorithms_are_exact() {
    let second = Span::from_seconds(1);
    let log = aforo_core::Quota::sliding_log(100, second).unwrap();
    let leaky = aforo_core::Quota::leaky_bucket(100, second, second).unwrap();
    for policy in [bucket(9, 1, 9), terms("log", log), terms("leaky", leaky)] {
        let scene = Scene::new(1);
        for _ in 0..50 {
            scene.admits(0, &policy, 1);
        }
        assert_eq!(scene.instances[0].stats().leases, 0, "{policy:?}");
    }
}

#[test]
fn what_is_left_is_given_back_at_the_next_charge() {
    for terms in [fixed(100, 3_600), sliding(100, 3_600)] {
        let scene = with_a_lease(&terms);
        assert!(scene.admits(0, &terms, 1));
        assert_eq!(scene.remaining(&terms), 94);
        scene.millis(1_000);
        assert!(scene.admits(0, &terms, 4));
        // Three, four, and an advance of what was used of the last one.
        assert_eq!(scene.remaining(&terms), 92);
        assert_eq!(scene.instances[0].stats().given_back, 3);
    }
}

#[test]
fn what_is_left_is_given_back_with_the_work_of_others() {
    let hot = fixed(100, 3_600);
    let scene = with_a_lease(&hot);
    scene.millis(2_000);
    let other = bucket(1_000, 1, 1_000);
    for _ in 0..3 {
        scene.admits(0, &other, 1);
    }
    assert_eq!(scene.remaining(&hot), 98);
}

#[test]
fn what_an_instance_holds_when_it_dies_stays_taken() {
    let terms = fixed(100, 3_600);
    let mut scene = with_a_lease(&terms);
    scene.instances.remove(0);
    scene.millis(5_000);
    let mut admitted = 2;
    while scene.admits(0, &terms, 1) {
        admitted += 1;
    }
    assert_eq!(admitted, 96);
}

#[test]
fn a_lease_ends_before_the_edge_of_its_window() {
    let terms = fixed(100, 10);
    let scene = Scene::new(1);
    scene.millis(9_500);
    for _ in 0..3 {
        assert!(scene.admits(0, &terms, 1));
    }
    scene.millis(499);
    assert!(matches!(
        scene.instances[0].charge(&batch(&[&terms], 1)),
        Answer::Ready(_)
    ));
    scene.millis(1);
    let outcome = scene.charge(0, &terms, 1).outcomes[0];
    assert!(scene.remaining(&terms) < 100, "the new window counts it");
    assert_eq!(outcome.remaining, 99);
}

#[test]
fn what_an_instance_holds_itself_denies_nothing() {
    let terms = fixed(20, 3_600);
    let scene = Scene::new(1);
    for _ in 0..3 {
        assert!(scene.admits(0, &terms, 1));
    }
    // Two in advance, one of which is spent: 17 are free, 16 of them in the store.
    assert_eq!(scene.remaining(&terms), 16);
    assert!(!scene.admits(0, &terms, 18));
    assert!(scene.admits(0, &terms, 17));
    assert!(!scene.admits(0, &terms, 1));
}

#[test]
fn a_refund_goes_back_to_the_store_with_the_lease_or_by_itself() {
    let terms = fixed(100, 3_600);
    let scene = with_a_lease(&terms);
    let early = scene.charge(0, &terms, 2);
    let late = scene.charge(0, &terms, 2);
    done(scene.instances[0].refund(early.receipt));
    assert_eq!(scene.remaining(&terms), 94);
    scene.millis(1_000);
    // The first lease ends with 4 of 6 spent.
    assert!(scene.admits(0, &terms, 0));
    assert_eq!(scene.remaining(&terms), 96 - 4);
    done(scene.instances[0].refund(late.receipt));
    assert_eq!(scene.remaining(&terms), 98 - 4);
}

#[test]
fn a_request_is_settled_to_its_true_cost() {
    let terms = fixed(100, 3_600);
    let scene = with_a_lease(&terms);
    let more = scene.charge(0, &terms, 1);
    done(scene.instances[0].settle(more.receipt, &|_| 11));
    assert_eq!(scene.remaining(&terms), 84, "more is taken at once");
    let less = scene.charge(0, &terms, 3);
    done(scene.instances[0].settle(less.receipt, &|_| 1));
    scene.millis(1_000);
    assert!(scene.admits(0, &terms, 60));
    // 2 + 11 + 1 + 60, and an advance of 4.
    assert_eq!(scene.remaining(&terms), 26 - 4);
}

#[test]
fn a_batch_is_taken_as_a_whole_or_not_at_all() {
    let (wide, narrow) = (fixed(100, 3_600), bucket(10, 3_600, 10));
    let scene = Scene::new(1);
    let both = batch(&[&wide, &narrow], 1);
    let mut admitted = 0;
    for _ in 0..30 {
        admitted += u64::from(done(scene.instances[0].charge(&both)).taken);
    }
    assert_eq!(admitted, 10);
    scene.millis(1_000);
    let alone = batch(&[&wide], 90);
    assert!(done(scene.instances[0].charge(&alone)).taken);
    assert!(!scene.admits(0, &wide, 1));
}

#[test]
fn a_reset_and_a_changed_quota_end_the_lease() {
    let terms = fixed(100, 3_600);
    let scene = with_a_lease(&terms);
    done(scene.instances[0].reset(&batch(&[&terms], 1)));
    assert_eq!(scene.remaining(&terms), 100);
    assert_eq!(scene.charge(0, &terms, 1).outcomes[0].remaining, 99);
    let scene = with_a_lease(&terms);
    let raised = fixed(200, 3_600);
    assert_eq!(scene.charge(0, &raised, 1).outcomes[0].remaining, 197);
}

#[test]
fn looking_sees_what_the_lease_has_left() {
    let terms = fixed(100, 3_600);
    let scene = with_a_lease(&terms);
    let seen = done(scene.instances[0].peek(&batch(&[&terms], 0)));
    assert_eq!(seen.outcomes[0].remaining, 98);
    assert!(scene.admits(1, &terms, 94));
    let seen = done(scene.instances[0].peek(&batch(&[&terms], 3)));
    assert!(seen.taken);
    assert_eq!(seen.outcomes[0].remaining, 1);
    let other = done(scene.instances[1].peek(&batch(&[&terms], 1)));
    assert!(!other.taken);
    assert_eq!(other.outcomes[0].remaining, 0);
}

/// A store that does not answer as long as it is told not to.
struct Silent {
    inner: Arc<dyn Store>,
    silent: AtomicBool,
}

impl Store for Silent {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        match self.silent.load(Ordering::Relaxed) {
            true => Answer::waiting(std::future::pending::<Result<Charged, StoreError>>()),
            false => self.inner.charge(batch),
        }
    }

    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        self.inner.peek(batch)
    }

    fn refund(&self, receipt: Receipt) -> Answer<'_, ()> {
        self.inner.refund(receipt)
    }

    fn settle<'a>(
        &'a self,
        receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()> {
        self.inner.settle(receipt, true_cost)
    }

    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()> {
        self.inner.reset(batch)
    }
}

#[test]
fn a_question_that_is_given_up_does_not_end_leases_for_good() {
    let terms = fixed(100, 3_600);
    let scene = Scene::new(0);
    let silent = Arc::new(Silent {
        inner: scene.shared.clone(),
        silent: AtomicBool::new(false),
    });
    let leased = LeasedStore::new(silent.clone(), Arc::new(scene.clock.clone()));
    let batch = batch(&[&terms], 1);
    assert!(done(leased.charge(&batch)).taken);
    silent.silent.store(true, Ordering::Relaxed);
    {
        let mut waiting = pin!(leased.charge(&batch));
        let mut context = Context::from_waker(Waker::noop());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
    }
    silent.silent.store(false, Ordering::Relaxed);
    assert!(done(leased.charge(&batch)).taken);
    assert_eq!(leased.stats().leases, 1);
}
