//! What the memory store holds never exceeds what it was told, and a flood frees nobody.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

use std::path::Path;

use aforo_core::{
    Charge, HashKey, PolicyName, Principal, PrincipalKind, Quota, Span, Terms, Timestamp, Verdict,
    Window,
};
use aforo_store::conformance::block_on;
use aforo_store::{Batch, ManualClock, MemoryStore, Store};

const SECRET: HashKey = HashKey::new([7, 11]);

fn clock() -> ManualClock {
    ManualClock::at(Timestamp::from_seconds(1_700_000_040))
}

fn fixed(amount: u64, seconds: u64) -> Quota {
    Quota::fixed_window(amount, Window::Length(Span::from_seconds(seconds))).unwrap()
}

fn terms(name: &str, quota: Quota) -> Terms {
    Terms::new(PolicyName::new(name).unwrap(), quota)
}

fn charge(terms: &Terms, kind: PrincipalKind, number: u64) -> Charge<'_> {
    let hash = SECRET.hash(&number.to_le_bytes());
    Charge::new(terms, Principal { kind, hash }, 1)
}

fn stranger(terms: &Terms, number: u64) -> Charge<'_> {
    charge(terms, PrincipalKind::Stranger, number)
}

fn known(terms: &Terms, number: u64) -> Charge<'_> {
    charge(terms, PrincipalKind::Known, number)
}

fn takes(store: &MemoryStore<ManualClock>, charge: &Charge<'_>) -> bool {
    store.take(charge) == Verdict::Allowed
}

fn resident_bytes() -> usize {
    let statm = std::fs::read_to_string(Path::new("/proc/self/statm")).unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4_096
}

#[test]
fn rl_14_five_million_addresses_grow_nothing_and_free_nobody() {
    let clock = clock();
    let store = MemoryStore::builder()
        .max_keys(100_000)
        .clock(clock.clone())
        .build();
    let policy = terms("per-address", fixed(10, 60));
    let plan = terms("per-consumer", fixed(100, 60));
    let blocked = stranger(&policy, u64::MAX);
    for _ in 0..10 {
        assert!(takes(&store, &blocked));
    }
    for consumer in 0..1_000 {
        assert!(takes(&store, &known(&plan, consumer)));
    }
    let mut filled = 0;
    for address in 0..5_000_000 {
        store.take(&stranger(&policy, address));
        if address % 50 == 49 {
            clock.advance(Span::from_millis(1));
        }
        // Once a second the caller that is over its quota comes back, within its window.
        if address % 50_000 == 0 {
            assert!(store.stats().strangers.entries <= 100_000);
            let second = address / 50_000;
            let allowed = takes(&store, &blocked);
            // Its window began at the start and a new one begins each minute.
            let first_of_window = second % 60 == 0 && second > 0;
            assert!(!allowed || first_of_window, "second {second}");
            if allowed {
                for _ in 0..9 {
                    takes(&store, &blocked);
                }
            }
        }
        if address == 500_000 {
            filled = resident_bytes();
        }
    }
    assert_eq!(store.stats().strangers.entries, 100_000);
    let grown = resident_bytes().saturating_sub(filled);
    assert!(grown < 2_000_000, "{grown} bytes more");
    assert!(store.overflowed() > 0);
    let known_entries = store.stats().known;
    assert_eq!(
        (known_entries.entries, known_entries.overflowed),
        (1_000, 0)
    );
    for consumer in 0..1_000 {
        assert!(takes(&store, &known(&plan, consumer)));
    }
}

#[test]
fn rlx_05_an_outage_s_fallback_is_bounded_and_shares_the_quota() {
    let clock = clock();
    let quota = fixed(10, 60).share(3);
    let policy = terms("policy", quota);
    let store = |_| {
        let builder = MemoryStore::builder().max_keys(10_000);
        builder.clock(clock.clone()).build()
    };
    let replicas: Vec<MemoryStore<ManualClock>> = (0..3).map(store).collect();
    let caller = stranger(&policy, u64::MAX);
    let taken = (0..40).filter(|hit| takes(&replicas[hit % 3], &caller));
    assert_eq!(taken.count(), 12);
    for address in 0..1_000_000 {
        replicas[0].take(&stranger(&policy, address));
    }
    assert_eq!(replicas[0].stats().strangers.entries, 10_000);
    assert!(!takes(&replicas[0], &caller));
}

#[test]
fn a_full_table_makes_room_of_neutral_entries_only() {
    let clock = clock();
    let store = MemoryStore::builder()
        .max_keys(100)
        .clock(clock.clone())
        .build();
    let policy = terms("policy", fixed(1, 60));
    for number in 0..50 {
        assert!(takes(&store, &stranger(&policy, number)));
    }
    clock.advance(Span::from_seconds(60));
    for number in 50..100 {
        assert!(takes(&store, &stranger(&policy, number)));
    }
    assert_eq!(store.stats().strangers.entries, 100);
    for number in 100..150 {
        assert!(takes(&store, &stranger(&policy, number)));
    }
    assert_eq!(store.stats().strangers.entries, 100);
    assert_eq!(store.overflowed(), 0);
    for number in 50..150 {
        assert!(!takes(&store, &stranger(&policy, number)));
    }
}

#[test]
fn what_is_dropped_is_judged_by_the_newest_quota() {
    let clock = clock();
    let store = MemoryStore::builder()
        .max_keys(10)
        .clock(clock.clone())
        .build();
    let bucket = |amount| {
        let window = Span::from_seconds(60);
        terms(
            "policy",
            Quota::token_bucket(amount, window, Some(10)).unwrap(),
        )
    };
    let (fast, slow) = (bucket(61), bucket(1));
    assert_eq!(fast.quota().shape(), slow.quota().shape());
    let caller = stranger(&fast, 0);
    for _ in 0..10 {
        assert!(takes(&store, &caller));
    }
    // Denied by the new quota, which forgets more slowly: by the old one all is forgotten soon.
    assert!(!takes(&store, &stranger(&slow, 0)));
    clock.advance(Span::from_seconds(30));
    for number in 1..1_000 {
        takes(&store, &stranger(&slow, number));
    }
    assert!(!takes(&store, &stranger(&slow, 0)));
}

#[test]
fn a_new_caller_in_a_full_table_shares_and_later_starts_from_what_it_shared() {
    let clock = clock();
    let store = MemoryStore::builder()
        .max_keys(10)
        .clock(clock.clone())
        .build();
    // Those who fill the table are live for a minute, the shared entry for an hour.
    let (short, long) = (terms("short", fixed(1, 60)), terms("long", fixed(3, 3_600)));
    for number in 0..10 {
        assert!(takes(&store, &stranger(&short, number)));
    }
    let caller = stranger(&long, 0);
    assert!(takes(&store, &caller) && takes(&store, &caller));
    assert_eq!(store.overflowed(), 2);
    assert_eq!(store.stats().strangers.entries, 10);
    clock.advance(Span::from_seconds(61));
    assert!(takes(&store, &caller));
    assert_eq!(store.overflowed(), 2, "it has an entry of its own now");
    assert!(!takes(&store, &caller));
    // A reset frees the caller for good, though what it shared is still there.
    let mut batch = Batch::new();
    batch.push(caller);
    block_on(store.reset(&batch)).unwrap();
    for _ in 0..3 {
        assert!(takes(&store, &caller));
    }
    assert!(!takes(&store, &caller));
}

#[test]
fn a_refund_finds_a_shared_entry() {
    let store = MemoryStore::builder().max_keys(1).clock(clock()).build();
    let policy = terms("policy", fixed(2, 60));
    assert!(takes(&store, &stranger(&policy, 0)));
    let mut batch = Batch::new();
    batch.push(stranger(&policy, 1));
    let charged = block_on(store.charge(&batch)).unwrap();
    assert_eq!(charged.outcomes[0].remaining, 1);
    block_on(store.refund(charged.receipt)).unwrap();
    let peeked = block_on(store.peek(&batch)).unwrap();
    assert_eq!(
        peeked.outcomes[0].remaining, 1,
        "as if one were taken of two"
    );
}

#[test]
fn logs_share_a_budget_and_coalesce_when_it_is_spent() {
    let clock = clock();
    let store = MemoryStore::builder()
        .max_log_entries(20)
        .clock(clock.clone())
        .build();
    let quota = Quota::sliding_log(10, Span::from_seconds(60)).unwrap();
    let policy = terms("policy", quota);
    let mut taken = 0;
    for number in 0..100 {
        for _ in 0..12 {
            taken += u32::from(takes(&store, &stranger(&policy, number)));
            clock.advance(Span::from_millis(1));
        }
        assert!(
            store.stats().log_entries <= 15,
            "a quarter is left to known principals"
        );
    }
    // One caller after another is cut off at ten; those who share a log are cut off together.
    assert!((20..=40).contains(&taken), "{taken} taken");
    assert!(store.stats().coalesced > 0 && store.stats().shared_logs > 0);
    for number in 0..5 {
        assert!(takes(&store, &known(&policy, number)));
    }
    assert_eq!(store.stats().log_entries, 20);
    // All is forgotten a window later, and those who come find room.
    clock.advance(Span::from_seconds(61));
    let shared = store.stats().shared_logs;
    for number in 0..10 {
        assert!(takes(&store, &stranger(&policy, 1_000 + number)));
    }
    assert_eq!(store.stats().shared_logs, shared);
    assert!(store.stats().log_entries <= 20);
}

#[test]
fn a_coalesced_log_is_only_ever_stricter() {
    let clock = clock();
    let bounded = MemoryStore::builder()
        .max_log_entries(4)
        .clock(clock.clone())
        .build();
    let exact = MemoryStore::builder().clock(clock.clone()).build();
    let quota = Quota::sliding_log(10, Span::from_seconds(60)).unwrap();
    let policy = terms("policy", quota);
    let (mut strict, mut full) = (0_u32, 0_u32);
    for _ in 0..400 {
        strict += u32::from(takes(&bounded, &known(&policy, 0)));
        full += u32::from(takes(&exact, &known(&policy, 0)));
        assert!(strict <= full);
        clock.advance(Span::from_millis(2_500));
    }
    // 1,000 s of 10 a minute.
    assert_eq!(full, 170);
    assert!(strict >= 100, "{strict} of {full}");
}
