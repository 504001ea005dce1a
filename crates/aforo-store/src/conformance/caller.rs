//! What the cases are told in: policies, callers, charges, answers.

use aforo_core::{
    Charge, HashKey, Outcome, PartitionHash, PolicyName, Principal, PrincipalKind, Quota, Span,
    Terms, Timestamp,
};

use crate::{Batch, Charged, ManualClock, Store};

/// A minute edge, an hour edge, no day edge: 2023-11-14 22:00:00 UTC.
pub(super) const START: Timestamp = Timestamp::from_seconds(1_699_999_200);

pub(super) fn clock() -> ManualClock {
    ManualClock::at(START)
}

pub(super) const fn seconds(seconds: u64) -> Span {
    Span::from_seconds(seconds)
}

/// Moves the clock to so many seconds after the start.
pub(super) fn at(clock: &ManualClock, second: u64) {
    clock.set(START.plus(seconds(second)));
}

pub(super) fn terms(name: &str, quota: Quota) -> Terms {
    Terms::new(PolicyName::new(name).expect("a valid name"), quota)
}

pub(super) fn fixed(amount: u64, window: u64) -> Quota {
    let window = aforo_core::Window::Length(seconds(window));
    Quota::fixed_window(amount, window).expect("a valid quota")
}

pub(super) fn bucket(amount: u64, window: u64, burst: u64) -> Quota {
    Quota::token_bucket(amount, seconds(window), Some(burst)).expect("a valid quota")
}

/// A stranger with a number.
pub(super) fn stranger(number: u64) -> Principal {
    principal(PrincipalKind::Stranger, number)
}

/// A known principal with a number.
pub(super) fn known(number: u64) -> Principal {
    principal(PrincipalKind::Known, number)
}

fn principal(kind: PrincipalKind, number: u64) -> Principal {
    let hash = HashKey::new([1, 2]).hash(&number.to_le_bytes());
    Principal { kind, hash }
}

/// A partition key of a caller with a second part.
pub(super) fn part(caller: Principal, number: u64) -> PartitionHash {
    let text = [
        caller.hash.0.to_le_bytes().as_slice(),
        &number.to_le_bytes(),
    ]
    .concat();
    HashKey::new([1, 2]).hash(&text)
}

/// A charge of a caller, counted by the caller alone.
pub(super) fn charge(terms: &Terms, caller: Principal, cost: u64) -> Charge<'_> {
    Charge::new(terms, caller, cost)
}

pub(super) async fn all(store: &impl Store, charges: &[Charge<'_>]) -> Charged {
    let batch = batch(charges);
    let answer = store.charge(&batch);
    answer.await.expect("the store answers")
}

pub(super) fn batch<'a>(charges: &[Charge<'a>]) -> Batch<'a> {
    let mut batch = Batch::new();
    for charge in charges {
        batch.push(*charge);
    }
    batch
}

/// Charges one unit and says what came out.
pub(super) async fn hit(store: &impl Store, terms: &Terms, caller: Principal) -> Outcome {
    all(store, &[charge(terms, caller, 1)]).await.outcomes[0]
}

/// Charges one unit and says whether it was taken.
pub(super) async fn hits(store: &impl Store, terms: &Terms, caller: Principal) -> bool {
    all(store, &[charge(terms, caller, 1)]).await.taken
}

/// What is left, without taking anything.
pub(super) async fn remaining(store: &impl Store, terms: &Terms, caller: Principal) -> u64 {
    let batch = batch(&[charge(terms, caller, 0)]);
    let peeked = store.peek(&batch).await.expect("the store answers");
    peeked.outcomes[0].remaining
}
