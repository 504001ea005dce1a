//! Every interleaving of two threads on a tiny store, checked by loom:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom \
//!     cargo test -p aforo-store --lib interleavings
//! ```
//!
//! No bound on preemptions is set: all of them are gone through, within a minute.

use aforo_core::{Charge, PartitionHash, PolicyName, Principal, Quota, Span, Terms, Timestamp};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;

use super::MemoryStore;
use super::lock::Lock;
use super::logs::Logs;
use super::quotas::Quotas;
use super::seat::Seat;
use super::table::Table;
use crate::{Batch, ManualClock, Receipt};

fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.max_branches = 10_000;
    builder.check(model);
}

/// A store of two regions of four slots.
fn store(max_entries: usize) -> MemoryStore<ManualClock> {
    MemoryStore {
        clock: ManualClock::at(Timestamp::from_seconds(1_000)),
        quotas: Quotas::new(),
        known: Table::with_regions(2, 4, max_entries),
        strangers: Table::with_regions(1, 1, 1),
        logs: Logs::new(1),
    }
}

fn terms(name: &str, capacity: u64) -> Terms {
    let quota = Quota::token_bucket(capacity, Span::from_seconds(60), None).unwrap();
    Terms::new(PolicyName::new(name).unwrap(), quota)
}

fn charge(terms: &Terms, partition: u128) -> Charge<'_> {
    let hash = PartitionHash(partition);
    Charge::new(terms, Principal::known(hash), 1)
}

fn run(store: &MemoryStore<ManualClock>, charges: &[Charge<'_>]) -> bool {
    let mut batch = Batch::new();
    for charge in charges {
        batch.push(*charge);
    }
    store.charge_each(&(&batch).into(), |_, _| {}, &mut Receipt::empty())
}

/// Runs two batches on two threads; says which were taken.
fn race(
    store: &Arc<MemoryStore<ManualClock>>,
    one: impl FnOnce(&MemoryStore<ManualClock>) -> bool + 'static,
    two: impl FnOnce(&MemoryStore<ManualClock>) -> bool,
) -> (bool, bool) {
    let other = Arc::clone(store);
    let thread = thread::spawn(move || one(&other));
    let two = two(store);
    (thread.join().unwrap(), two)
}

// Partition keys of the first and of the second region.
const LOW: u128 = 1 << 64;
const NEIGHBOUR: u128 = 3 << 64;
const HIGH: u128 = (2 << 64) | u64::MAX as u128;

#[test]
fn the_lock_lets_one_in_at_a_time() {
    check(|| {
        let state = Arc::new((Lock::new(), AtomicU32::new(0)));
        let add = |state: &(Lock, AtomicU32)| {
            let _held = state.0.take();
            let before = state.1.load(Ordering::Relaxed);
            state.1.store(before + 1, Ordering::Relaxed);
        };
        let other = Arc::clone(&state);
        let thread = thread::spawn(move || add(&other));
        add(&state);
        thread.join().unwrap();
        let _held = state.0.take();
        assert_eq!(state.1.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn of_two_batches_in_either_order_exactly_one_is_taken() {
    check(|| {
        let store = Arc::new(store(4));
        let (first, second) = race(
            &store,
            |store| {
                let policy = terms("a", 1);
                run(store, &[charge(&policy, LOW), charge(&policy, HIGH)])
            },
            |store| {
                let policy = terms("a", 1);
                run(store, &[charge(&policy, HIGH), charge(&policy, LOW)])
            },
        );
        assert!(first ^ second, "taken: {first}, {second}");
    });
}

#[test]
fn what_two_batches_share_is_taken_once_and_the_rest_not_lost() {
    check(|| {
        let store = Arc::new(store(4));
        let (first, second) = race(
            &store,
            |store| {
                let (own, shared) = (terms("own", 2), terms("shared", 1));
                run(store, &[charge(&own, LOW), charge(&shared, HIGH)])
            },
            |store| {
                let (own, shared) = (terms("own", 2), terms("shared", 1));
                run(store, &[charge(&shared, HIGH), charge(&own, LOW)])
            },
        );
        assert!(first ^ second, "taken: {first}, {second}");
        // The batch that lost has taken nothing of the policy that had room.
        let own = terms("own", 2);
        assert!(run(&store, &[charge(&own, LOW)]));
        assert!(!run(&store, &[charge(&own, LOW)]));
    });
}

#[test]
fn of_two_batches_whose_counters_exist_exactly_one_is_taken() {
    check(|| {
        let store = Arc::new(store(4));
        let policy = terms("a", 2);
        assert!(run(&store, &[charge(&policy, LOW), charge(&policy, HIGH)]));
        let (first, second) = race(
            &store,
            |store| {
                let policy = terms("a", 2);
                run(store, &[charge(&policy, LOW), charge(&policy, HIGH)])
            },
            |store| {
                let policy = terms("a", 2);
                run(store, &[charge(&policy, HIGH), charge(&policy, LOW)])
            },
        );
        assert!(first ^ second, "taken: {first}, {second}");
    });
}

#[test]
fn a_batch_finds_a_counter_that_another_one_moves() {
    check(|| {
        // LOW and its neighbour have one home: when the first is reset, the second moves up.
        let store = Arc::new(store(4));
        let policy = terms("a", 2);
        assert!(run(&store, &[charge(&policy, LOW)]));
        assert!(run(&store, &[charge(&policy, NEIGHBOUR)]));
        let (first, second) = race(
            &store,
            |store| {
                let policy = terms("a", 2);
                store.neutralise(&Seat::of(&charge(&policy, LOW)));
                true
            },
            |store| {
                let policy = terms("a", 2);
                run(store, &[charge(&policy, NEIGHBOUR)])
            },
        );
        assert!(first && second);
        // The second unit of the neighbour is gone, the first key starts anew.
        assert!(!run(&store, &[charge(&policy, NEIGHBOUR)]));
        assert!(run(&store, &[charge(&policy, LOW)]));
        assert!(run(&store, &[charge(&policy, LOW)]));
    });
}

#[test]
fn a_single_charge_and_a_batch_never_take_the_same_unit() {
    check(|| {
        let store = Arc::new(store(4));
        let policy = terms("a", 2);
        assert!(run(&store, &[charge(&policy, LOW)]));
        let (first, second) = race(
            &store,
            |store| {
                let policy = terms("a", 2);
                store.charge_one(&charge(&policy, LOW)).is_allowed()
            },
            |store| {
                let policy = terms("a", 2);
                run(store, &[charge(&policy, LOW), charge(&policy, HIGH)])
            },
        );
        assert!(first ^ second, "taken: {first}, {second}");
    });
}

#[test]
fn the_last_place_of_a_table_goes_to_one() {
    check(|| {
        let store = Arc::new(store(1));
        let (first, second) = race(
            &store,
            |store| run(store, &[charge(&terms("a", 1), LOW)]),
            |store| run(store, &[charge(&terms("a", 1), HIGH)]),
        );
        assert!(first && second);
        assert_eq!(store.stats().known.entries, 1);
        assert_eq!(store.overflowed(), 1);
    });
}
