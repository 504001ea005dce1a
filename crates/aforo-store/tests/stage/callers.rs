//! Policies, callers and charges.

use aforo_core::{
    Charge, HashKey, PartitionHash, PolicyName, Principal, Quota, Span, Terms, Timestamp, Window,
};
use aforo_store::{Batch, Charged, Store};

/// A minute edge, an hour edge, no day edge: 2023-11-14 22:00:00 UTC.
pub(crate) const START: Timestamp = Timestamp::from_seconds(1_699_999_200);

pub(crate) fn terms(name: &str, quota: Quota) -> Terms {
    Terms::new(PolicyName::new(name).unwrap(), quota)
}

pub(crate) fn seconds(seconds: u64) -> Span {
    Span::from_seconds(seconds)
}

pub(crate) fn fixed(amount: u64, window: u64) -> Quota {
    Quota::fixed_window(amount, Window::Length(seconds(window))).unwrap()
}

pub(crate) fn bucket(amount: u64, window: u64, burst: u64) -> Quota {
    Quota::token_bucket(amount, seconds(window), Some(burst)).unwrap()
}

/// One quota of each algorithm, one unit in a second.
pub(crate) fn one_a_second() -> [(&'static str, Quota); 6] {
    let second = seconds(1);
    [
        ("bucket", bucket(1, 1, 1)),
        ("leaky", Quota::leaky_bucket(1, second, Span::ZERO).unwrap()),
        ("fixed", fixed(1, 1)),
        (
            "first-hit",
            Quota::fixed_window(1, Window::FirstHit(second)).unwrap(),
        ),
        ("sliding", Quota::sliding_window(1, second).unwrap()),
        ("log", Quota::sliding_log(1, second).unwrap()),
    ]
}

pub(crate) fn hash(number: u64) -> PartitionHash {
    HashKey::new([1, 2]).hash(&number.to_le_bytes())
}

/// A charge of a stranger, counted by the stranger alone.
pub(crate) fn charge(terms: &Terms, caller: u64, cost: u64) -> Charge<'_> {
    let hash = hash(caller);
    Charge::new(terms, Principal::stranger(hash), cost)
}

/// A charge of a consumer.
pub(crate) fn consumer<'a>(terms: &'a Terms, id: &'a str, cost: u64) -> Charge<'a> {
    let hash = HashKey::new([1, 2]).hash(id.as_bytes());
    Charge {
        subject: Some(id),
        ..Charge::new(terms, Principal::known(hash), cost)
    }
}

pub(crate) fn batch<'a>(charges: &[Charge<'a>]) -> Batch<'a> {
    let mut batch = Batch::new();
    for charge in charges {
        batch.push(*charge);
    }
    batch
}

pub(crate) async fn take(store: &impl Store, charges: &[Charge<'_>]) -> Charged {
    store.charge(&batch(charges)).await.unwrap()
}

/// Charges one unit and says whether it was taken.
pub(crate) async fn hits(store: &impl Store, terms: &Terms, caller: u64) -> bool {
    take(store, &[charge(terms, caller, 1)]).await.taken
}

/// What is left.
pub(crate) async fn left(store: &impl Store, terms: &Terms, caller: u64) -> u64 {
    let asked = batch(&[charge(terms, caller, 0)]);
    store.peek(&asked).await.unwrap().outcomes[0].remaining
}
