//! A single charge decides as a batch of it alone, and neither allocates.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

use aforo_core::{
    Charge, HashKey, Mode, OnDenial, PolicyName, Principal, PrincipalKind, Quota, Span, Terms,
    Timestamp, Window,
};
use aforo_store::conformance::block_on;
use aforo_store::{Batch, Charged, ManualClock, MemoryStore, Store};
use proptest::prelude::*;

fn quotas() -> Vec<Quota> {
    let minute = Span::from_seconds(60);
    vec![
        Quota::token_bucket(10, minute, Some(5)).unwrap(),
        Quota::leaky_bucket(10, minute, Span::from_seconds(20)).unwrap(),
        Quota::fixed_window(6, Window::Length(minute)).unwrap(),
        Quota::fixed_window(6, Window::FirstHit(minute)).unwrap(),
        Quota::sliding_window(8, minute).unwrap(),
        Quota::sliding_log(8, minute).unwrap(),
    ]
}

fn charge(terms: &Terms, caller: u64, cost: u64) -> Charge<'_> {
    let hash = HashKey::new([3, 5]).hash(&caller.to_le_bytes());
    Charge::new(terms, Principal::stranger(hash), cost)
}

fn terms(name: &str, quota: Quota) -> Terms {
    Terms::new(PolicyName::new(name).unwrap(), quota)
}

#[derive(Clone, Debug)]
struct Step {
    quota: usize,
    caller: u64,
    cost: u64,
    shadow: bool,
    take: bool,
    millis: u64,
}

fn step() -> impl Strategy<Value = Step> {
    let millis = prop_oneof![0_u64..10, 0_u64..30_000];
    (
        0_usize..6,
        0_u64..3,
        0_u64..12,
        any::<bool>(),
        any::<bool>(),
        millis,
    )
        .prop_map(|(quota, caller, cost, shadow, take, millis)| Step {
            quota,
            caller,
            cost,
            shadow,
            take,
            millis,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_single_charge_decides_as_a_batch_of_it_alone(
        steps in proptest::collection::vec(step(), 1..80)
    ) {
        let clock = ManualClock::at(Timestamp::from_seconds(1_700_000_000));
        // A small table, so that shared entries take part.
        let store = || MemoryStore::builder().max_keys(12).max_log_entries(12).clock(clock.clone()).build();
        let (single, verdicts, batched) = (store(), store(), store());
        let policies: Vec<Terms> = quotas()
            .into_iter()
            .enumerate()
            .map(|(number, quota)| terms(&format!("p{number}"), quota))
            .collect();
        let idle = terms("idle", quotas()[0]);
        let nothing = charge(&idle, 9, 0);
        for step in steps {
            clock.advance(Span::from_millis(step.millis));
            let mut charge = charge(&policies[step.quota], step.caller, step.cost);
            if step.shadow {
                charge.mode = Mode::Shadow;
            }
            if step.take {
                charge.on_denial = OnDenial::Take;
            }
            // A charge of nothing beside it, so that the batch goes the long way.
            let mut batch = Batch::new();
            batch.push(charge);
            batch.push(nothing);
            let charged = block_on(batched.charge(&batch)).unwrap();
            prop_assert_eq!(single.charge_one(&charge), charged.outcomes[0]);
            prop_assert_eq!(verdicts.take(&charge), charged.outcomes[0].verdict);
        }
    }
}

/// What a batch came to, as text: outcomes and the lines of the receipt.
fn told(charged: &Charged) -> String {
    format!("{charged:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_batch_decides_alike_on_the_short_way_and_on_the_long_one(
        requests in proptest::collection::vec(proptest::collection::vec(step(), 1..5), 1..40)
    ) {
        let clock = ManualClock::at(Timestamp::from_seconds(1_700_000_000));
        let store = || MemoryStore::builder().max_keys(64).clock(clock.clone()).build();
        let (short, long) = (store(), store());
        let policies: Vec<Terms> = quotas()
            .into_iter()
            .enumerate()
            .map(|(number, quota)| terms(&format!("p{number}"), quota))
            .collect();
        // Policies of the same names under a file that was changed.
        let changed: Vec<Terms> = quotas()
            .into_iter()
            .rev()
            .enumerate()
            .map(|(number, quota)| terms(&format!("p{number}"), quota))
            .collect();
        let idle: Vec<Terms> = (0..4).map(|number| terms(&format!("i{number}"), quotas()[0])).collect();
        for (turn, request) in requests.iter().enumerate() {
            clock.advance(Span::from_millis(request[0].millis));
            let policies = if turn % 16 < 13 { &policies } else { &changed };
            let mut batch = Batch::new();
            for step in request {
                let mut charge = charge(&policies[step.quota], step.caller, step.cost);
                if step.caller == 0 {
                    charge.principal.kind = PrincipalKind::Known;
                }
                if step.shadow {
                    charge.mode = Mode::Shadow;
                }
                if step.take {
                    charge.on_denial = OnDenial::Take;
                }
                batch.push(charge);
            }
            // Charges of nothing beside them, so many that the batch goes the long way.
            let mut longer = batch.clone();
            for idle in &idle {
                longer.push(charge(idle, 9, 0));
            }
            let charged = block_on(short.charge(&batch)).unwrap();
            let mut expected = block_on(long.charge(&longer)).unwrap();
            let places = batch.charges().len();
            expected.outcomes.truncate(places);
            expected.receipt.retain(|place| place < places);
            prop_assert_eq!(told(&charged), told(&expected));
            if turn % 5 == 0 {
                block_on(short.refund(charged.receipt)).unwrap();
                block_on(long.refund(expected.receipt)).unwrap();
            }
        }
    }
}

#[test]
fn a_hot_batch_of_up_to_four_charges_allocates_nothing() {
    let store = MemoryStore::builder().max_keys(1_000).build();
    let policies: Vec<Terms> = quotas()
        .into_iter()
        .take(5)
        .enumerate()
        .map(|(number, quota)| terms(&format!("p{number}"), quota))
        .collect();
    for size in 1..=4 {
        let mut batch = Batch::new();
        for terms in policies.iter().take(size) {
            batch.push(charge(terms, 1, 1));
        }
        let warm = || {
            let charged = block_on(store.charge(&batch)).unwrap();
            block_on(store.settle(charged.receipt, &|_| 0)).unwrap();
        };
        warm();
        let allocated = allocation_counter::measure(|| {
            for _ in 0..100 {
                let answer = store.charge(&batch);
                let ready = std::pin::pin!(answer);
                let mut context = std::task::Context::from_waker(std::task::Waker::noop());
                assert!(ready.poll(&mut context).is_ready());
            }
        });
        assert_eq!(allocated.count_total, 0, "{size} charges");
    }
    let one = charge(&policies[0], 1, 1);
    let allocated = allocation_counter::measure(|| {
        for _ in 0..100 {
            store.take(&one);
            store.charge_one(&one);
        }
    });
    assert_eq!(allocated.count_total, 0);
}
