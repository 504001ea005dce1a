//! What the tests are told in: policies, callers, single charges.

use std::sync::Arc;

use aforo_core::{
    Charge, HashKey, Outcome, PartitionHash, PolicyName, Principal, Quota, Span, Terms, Window,
};
use aforo_store::{Batch, Charged, RedisStore, Store, StoreError};
use tokio::task::JoinSet;

pub(crate) const fn seconds(seconds: u64) -> Span {
    Span::from_seconds(seconds)
}

pub(crate) fn terms(name: &str, quota: Quota) -> Terms {
    Terms::new(PolicyName::new(name).unwrap(), quota)
}

pub(crate) fn fixed(amount: u64, window: Span) -> Quota {
    Quota::fixed_window(amount, Window::Length(window)).unwrap()
}

pub(crate) fn bucket(amount: u64, window: Span, burst: u64) -> Quota {
    Quota::token_bucket(amount, window, Some(burst)).unwrap()
}

/// One quota of each algorithm, of two units.
pub(crate) fn one_of_each() -> [Quota; 5] {
    [
        bucket(2, seconds(60), 2),
        Quota::leaky_bucket(1, seconds(60), seconds(60)).unwrap(),
        fixed(2, seconds(86_400)),
        Quota::sliding_window(2, seconds(60)).unwrap(),
        Quota::sliding_log(2, seconds(60)).unwrap(),
    ]
}

pub(crate) fn hash(text: &str) -> PartitionHash {
    HashKey::new([1, 2]).hash(text.as_bytes())
}

/// A stranger of a name.
pub(crate) fn caller(name: &str) -> Principal {
    Principal::stranger(hash(name))
}

pub(crate) fn charge(terms: &Terms, caller: Principal, cost: u64) -> Charge<'_> {
    Charge::new(terms, caller, cost)
}

pub(crate) fn batch<'a>(charges: &[Charge<'a>]) -> Batch<'a> {
    let mut batch = Batch::new();
    for charge in charges {
        batch.push(*charge);
    }
    batch
}

pub(crate) async fn all(store: &RedisStore, charges: &[Charge<'_>]) -> Result<Charged, StoreError> {
    store.charge(&batch(charges)).await
}

/// Charges one unit.
pub(crate) async fn hit(
    store: &RedisStore,
    terms: &Terms,
    caller: Principal,
) -> Result<Outcome, StoreError> {
    let charged = all(store, &[charge(terms, caller, 1)]).await?;
    Ok(charged.outcomes[0])
}

/// Whether each of some hits in a row was taken.
pub(crate) async fn hits(
    store: &RedisStore,
    terms: &Terms,
    caller: Principal,
    count: usize,
) -> Vec<bool> {
    let mut taken = Vec::new();
    for _ in 0..count {
        taken.push(hit(store, terms, caller).await.unwrap().is_allowed());
    }
    taken
}

/// As many hits at once.
pub(crate) async fn at_once(
    store: &Arc<RedisStore>,
    terms: &Terms,
    caller: Principal,
    count: usize,
) -> Vec<Result<bool, StoreError>> {
    let mut tasks = JoinSet::new();
    for _ in 0..count {
        let (store, terms) = (Arc::clone(store), terms.clone());
        tasks.spawn(async move { Ok(hit(&store, &terms, caller).await?.is_allowed()) });
    }
    tasks.join_all().await
}

/// How many of some hits at once were taken, none of which failed.
pub(crate) async fn taken_at_once(
    store: &Arc<RedisStore>,
    terms: &Terms,
    caller: Principal,
    count: usize,
) -> usize {
    let hits = at_once(store, terms, caller, count).await;
    hits.into_iter()
        .filter(|hit| *hit.as_ref().unwrap())
        .count()
}
