//! Many threads on one store.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

use std::sync::Barrier;
use std::thread;

use aforo_core::{Charge, HashKey, PolicyName, Principal, Quota, Span, Terms, Timestamp, Window};
use aforo_store::conformance::block_on;
use aforo_store::{Batch, ManualClock, MemoryStore, Store};

fn store() -> MemoryStore<ManualClock> {
    let clock = ManualClock::at(Timestamp::from_seconds(1_700_000_000));
    MemoryStore::builder().max_keys(10_000).clock(clock).build()
}

fn terms(name: &str, quota: Quota) -> Terms {
    Terms::new(PolicyName::new(name).unwrap(), quota)
}

fn charge(terms: &Terms, caller: u64, cost: u64) -> Charge<'_> {
    let hash = HashKey::new([3, 5]).hash(&caller.to_le_bytes());
    Charge::new(terms, Principal::stranger(hash), cost)
}

fn quotas() -> [Quota; 3] {
    let minute = Span::from_seconds(60);
    [
        Quota::fixed_window(10, Window::Length(minute)).unwrap(),
        Quota::token_bucket(10, minute, None).unwrap(),
        Quota::sliding_log(10, minute).unwrap(),
    ]
}

/// How many of so many threads at once had their request taken.
fn at_once(threads: usize, request: impl Fn() -> bool + Sync) -> usize {
    let start = Barrier::new(threads);
    let one = || {
        start.wait();
        request()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        let taken = threads.into_iter().map(|thread| thread.join().unwrap());
        taken.filter(|taken| *taken).count()
    })
}

#[test]
fn rl_04_threads_at_once_take_exactly_what_there_is() {
    let store = store();
    for (number, quota) in quotas().into_iter().enumerate() {
        let policy = terms(&format!("p{number}"), quota);
        for round in 0..70 {
            let cold = charge(&policy, round, 1);
            assert_eq!(at_once(25, || store.charge_one(&cold).is_allowed()), 10);
            let primed = 1_000 + round;
            assert!(store.charge_one(&charge(&policy, primed, 9)).is_allowed());
            let one = charge(&policy, primed, 1);
            assert_eq!(at_once(10, || store.charge_one(&one).is_allowed()), 1);
        }
    }
}

#[test]
fn batches_in_every_order_neither_over_admit_nor_hang() {
    let store = store();
    let [fixed, bucket, log] = quotas();
    let policies = [terms("a", fixed), terms("b", bucket), terms("c", log)];
    // Six callers' charges on three policies each, in orders that differ by thread.
    let request = |thread: usize, hit: usize| {
        let mut batch = Batch::new();
        for place in 0..6 {
            let number = (place * (thread + 1) + hit) % 6;
            batch.push(charge(&policies[number % 3], (number / 3) as u64, 1));
        }
        block_on(store.charge(&batch)).unwrap().taken
    };
    let taken: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| scope.spawn(move || (0..500).filter(|hit| request(thread, *hit)).count()))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert!((1..=60).contains(&taken), "{taken}");
    for policy in &policies {
        for caller in 0..2 {
            let mut batch = Batch::new();
            batch.push(charge(policy, caller, 0));
            let peeked = block_on(store.peek(&batch)).unwrap();
            let used = 10 - peeked.outcomes[0].remaining;
            assert!(used <= 10);
        }
    }
}

#[test]
fn refunds_and_charges_at_once_keep_the_books() {
    let store = store();
    let policy = terms("policy", quotas()[0]);
    let work = || {
        let mut kept = 0_u64;
        for round in 0..2_000 {
            let mut batch = Batch::new();
            batch.push(charge(&policy, 1, 1));
            let charged = block_on(store.charge(&batch)).unwrap();
            match (charged.taken, round % 100) {
                (true, 0) => kept += 1,
                (true, _) => block_on(store.refund(charged.receipt)).unwrap(),
                (false, _) => {}
            }
        }
        kept
    };
    let kept: u64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    let mut batch = Batch::new();
    batch.push(charge(&policy, 1, 0));
    let peeked = block_on(store.peek(&batch)).unwrap();
    assert_eq!(peeked.outcomes[0].remaining, 10 - kept);
}
