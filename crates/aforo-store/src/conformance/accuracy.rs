//! Golden vectors and random sequences.

use std::collections::HashMap;

use aforo_core::vectors::{self, Event, Vector};

use super::caller::{charge, clock, stranger, terms};
use super::sequence::{Sequence, Spice};
use crate::{Batch, ManualClock, Store};

/// Every golden vector of `aforo-core`.
pub async fn golden_vectors<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    let vectors = vectors::all().expect("the vectors can be read");
    assert!(vectors.len() >= 30, "only {} vectors", vectors.len());
    for vector in &vectors {
        let clock = clock();
        let store = make(clock.clone()).await;
        golden_vector(vector, &clock, &store).await;
    }
}

async fn golden_vector(vector: &Vector, clock: &ManualClock, store: &impl Store) {
    let (mut policy, mut calendar) = (None, None);
    let mut receipts = HashMap::new();
    for step in &vector.steps {
        let place = format!("{}:{}: {}", vector.file, step.line, vector.name);
        match &step.event {
            Event::Quota(quota) => policy = Some(terms("policy", *quota)),
            Event::Edges(edges) => calendar = *edges,
            Event::Charge {
                now,
                cost,
                receipt,
                expected,
            } => {
                clock.set(*now);
                let policy = policy.as_ref().expect("a quota comes first");
                let mut charge = charge(policy, stranger(1), *cost);
                charge.edges = calendar;
                let mut batch = Batch::new();
                batch.push(charge);
                let charged = store.charge(&batch).await.expect("the store answers");
                if let Err(difference) = expected.check(&charged.outcomes[0]) {
                    panic!("{place}: {difference}");
                }
                if let Some(name) = receipt {
                    receipts.insert(name, (charged.receipt, *cost));
                }
            }
            Event::GiveBack {
                now,
                receipt,
                units,
            } => {
                clock.set(*now);
                let (receipt, cost) = receipts.remove(receipt).expect("a receipt by that name");
                let true_cost = |_| cost.saturating_sub(*units);
                let settled = store.settle(receipt, &true_cost);
                settled.await.expect("the store answers");
            }
        }
    }
}

/// Long sequences of everything, compared with a map of what the pure core says.
pub async fn random_sequences_equal_the_reference<S: Store>(make: &impl AsyncFn(ManualClock) -> S) {
    run(make, Spice::default()).await;
}

/// The same on a clock that is also set back.
pub async fn random_sequences_with_clock_steps_equal_the_reference<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let spice = Spice {
        clock_steps: true,
        ..Spice::default()
    };
    run(make, spice).await;
}

/// The same for one caller at a time, for a store whose servers share the callers out.
pub async fn random_sequences_of_one_caller_with_clock_steps_equal_the_reference<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let spice = Spice {
        clock_steps: true,
        one_caller: true,
        ..Spice::default()
    };
    run(make, spice).await;
}

/// The same while quotas and algorithms change.
pub async fn random_sequences_with_changed_quotas_equal_the_reference<S: Store>(
    make: &impl AsyncFn(ManualClock) -> S,
) {
    let spice = Spice {
        changed_quotas: true,
        ..Spice::default()
    };
    run(make, spice).await;
}

async fn run<S: Store>(make: &impl AsyncFn(ManualClock) -> S, spice: Spice) {
    for seed in 0..8 {
        let clock = clock();
        let store = make(clock.clone()).await;
        Sequence::new(seed, spice, clock).run(&store, 600).await;
    }
}
