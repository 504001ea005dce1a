//! Instances that take in advance from one real store.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::disallowed_methods,
    reason = "tests may panic, and look when requests were sent and answered"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use aforo_core::{
    Charge, HashKey, PartitionHash, PolicyName, Principal, Quota, Span, Terms, Timestamp, Window,
};
use aforo_store::{
    Batch, Charged, Clock, LeasedStore, ManualClock, Remote, Store, StoreError, SystemClock,
};
use tokio::task::JoinSet;

const INSTANCES: usize = 3;
/// Consumers that ask each instance at the same time.
const ASKERS: usize = 4;

/// Opens a store.
pub(crate) type Open = fn(&Remote) -> Arc<dyn Store>;

/// What holds on every store that several instances share.
pub(crate) async fn hold(open: Open, remote: &Remote) {
    reach_their_bound_and_no_more(open, remote).await;
    give_back_what_is_left(open, remote).await;
    give_back_by_receipt(open, remote).await;
    spend_a_quota_exactly(open, remote).await;
    stay_within_their_bound_under_load(open, remote).await;
}

/// Instances with connections of their own.
struct Scene {
    clock: ManualClock,
    shared: Arc<dyn Store>,
    instances: Vec<Arc<LeasedStore>>,
}

impl Scene {
    /// At a time that is set by hand, for the store too.
    fn new(open: Open, remote: &Remote) -> Self {
        let clock = ManualClock::at(Timestamp::from_seconds(1_699_999_200));
        let remote = Remote {
            clock: Some(Arc::new(clock.clone())),
            ..remote.clone()
        };
        Self::at(clock.clone(), Arc::new(clock), open, &remote)
    }

    /// At the store's own time, and the machine's.
    fn in_real_time(open: Open, remote: &Remote) -> Self {
        let clock = Arc::new(SystemClock::new());
        Self::at(ManualClock::default(), clock, open, remote)
    }

    fn at(manual: ManualClock, clock: Arc<dyn Clock>, open: Open, remote: &Remote) -> Self {
        let instance = |_| Arc::new(LeasedStore::new(open(remote), Arc::clone(&clock)));
        Self {
            clock: manual,
            shared: open(remote),
            instances: (0..INSTANCES).map(instance).collect(),
        }
    }

    fn millis(&self, millis: u64) {
        self.clock.advance(Span::from_millis(millis));
    }

    async fn charge(&self, instance: usize, terms: &Terms, cost: u64) -> Charged {
        charge(&self.instances[instance], terms, cost)
            .await
            .unwrap()
    }

    async fn admits(&self, instance: usize, terms: &Terms, cost: u64) -> bool {
        self.charge(instance, terms, cost).await.taken
    }

    /// What the shared store says remains.
    async fn remaining(&self, terms: &Terms) -> u64 {
        let asked = self.shared.peek(&batch(terms, 0)).await;
        asked.unwrap().outcomes[0].remaining
    }

    /// Charges by turns until nobody is admitted any more; how many were.
    async fn drain(&self, terms: &Terms) -> u64 {
        let mut admitted = 0;
        loop {
            let before = admitted;
            for instance in 0..INSTANCES {
                admitted += u64::from(self.admits(instance, terms, 1).await);
            }
            if admitted == before {
                return admitted;
            }
        }
    }
}

async fn charge(store: &LeasedStore, terms: &Terms, cost: u64) -> Result<Charged, StoreError> {
    store.charge(&batch(terms, cost)).await
}

fn hash(text: &str) -> PartitionHash {
    HashKey::new([1, 2]).hash(text.as_bytes())
}

/// An account that an address tells of: a store that keeps counters by principal must find it
/// again when something is given back.
fn batch(terms: &Terms, cost: u64) -> Batch<'_> {
    let mut batch = Batch::new();
    batch.push(Charge {
        partition: hash("192.0.2.1, alice"),
        ..Charge::new(terms, Principal::stranger(hash("192.0.2.1")), cost)
    });
    batch
}

fn terms(name: &str, quota: Quota) -> Terms {
    Terms::new(PolicyName::new(name).unwrap(), quota)
}

fn fixed(name: &str, amount: u64) -> Terms {
    let window = Window::Length(Span::from_seconds(86_400 * 300));
    terms(name, Quota::fixed_window(amount, window).unwrap())
}

fn bucket(name: &str, amount: u64, burst: u64) -> Terms {
    let quota = Quota::token_bucket(amount, Span::from_seconds(1), Some(burst));
    terms(name, quota.unwrap())
}

async fn reach_their_bound_and_no_more(open: Open, remote: &Remote) {
    let scene = Scene::new(open, remote);
    let terms = bucket("bound", 1_000, 100);
    for instance in 0..INSTANCES {
        for _ in 0..16 {
            assert!(scene.admits(instance, &terms, 1).await);
            scene.millis(10);
        }
        assert_eq!(scene.instances[instance].stats().leases, 3);
    }
    scene.millis(200);
    let whole = scene.remaining(&terms).await;
    assert_eq!(whole, 100, "it is whole, beside 30 in leases");
    let admitted = scene.drain(&terms).await;
    assert_eq!(admitted, 130, "in one instant: 10 more for each instance");
}

async fn give_back_what_is_left(open: Open, remote: &Remote) {
    let scene = Scene::new(open, remote);
    let terms = fixed("left", 100);
    for _ in 0..3 {
        assert!(scene.admits(0, &terms, 1).await);
    }
    assert_eq!(scene.remaining(&terms).await, 94, "two, and 4 in advance");
    scene.millis(1_000);
    assert!(scene.admits(0, &terms, 4).await);
    // Seven, and an advance of what was used of the last one.
    assert_eq!(scene.remaining(&terms).await, 92);
    assert_eq!(scene.instances[0].stats().given_back, 3);
}

async fn give_back_by_receipt(open: Open, remote: &Remote) {
    let scene = Scene::new(open, remote);
    let (instance, terms) = (&scene.instances[0], fixed("receipts", 100));
    for _ in 0..2 {
        assert!(scene.admits(0, &terms, 1).await);
    }
    let early = scene.charge(0, &terms, 2).await;
    let [mut late, mut settled] = [None, None];
    for kept in [&mut late, &mut settled] {
        *kept = Some(scene.charge(0, &terms, 1).await.receipt);
    }
    assert_eq!(instance.stats().answered, 3);
    instance.refund(early.receipt).await.unwrap();
    assert_eq!(scene.remaining(&terms).await, 94, "the lease keeps it");
    scene.millis(1_000);
    // The lease ends with two of its four given back.
    assert!(scene.admits(0, &terms, 0).await);
    let advance = 4;
    assert_eq!(scene.remaining(&terms).await, 96 - advance);
    instance.refund(late.unwrap()).await.unwrap();
    assert_eq!(scene.remaining(&terms).await, 97 - advance);
    instance.settle(settled.unwrap(), &|_| 6).await.unwrap();
    assert_eq!(scene.remaining(&terms).await, 92 - advance);
}

/// Many at once on all instances; then what instances still hold is spent too.
async fn spend_a_quota_exactly(open: Open, remote: &Remote) {
    let scene = Scene::in_real_time(open, remote);
    let terms = fixed("exactly", 300);
    let mut askers = JoinSet::new();
    for asker in 0..INSTANCES * ASKERS {
        let instance = Arc::clone(&scene.instances[asker % INSTANCES]);
        let terms = terms.clone();
        askers.spawn(async move {
            let mut admitted = 0;
            while charge(&instance, &terms, 1).await.unwrap().taken {
                admitted += 1;
            }
            admitted
        });
    }
    let at_once: u64 = askers.join_all().await.into_iter().sum();
    assert_eq!(at_once + scene.drain(&terms).await, 300);
}

/// Instances hold leases of a bucket that is whole, then all of them ask as fast as they can.
async fn stay_within_their_bound_under_load(open: Open, remote: &Remote) {
    const RATE: u64 = 200;
    const BURST: u64 = 100;
    let scene = Scene::in_real_time(open, remote);
    let terms = bucket("load", RATE, BURST);
    let begun = Instant::now();
    let mut askers = JoinSet::new();
    for asker in 0..INSTANCES * ASKERS {
        let instance = Arc::clone(&scene.instances[asker % INSTANCES]);
        let terms = terms.clone();
        askers.spawn(async move {
            let mut admitted = Vec::new();
            while begun.elapsed() < Duration::from_millis(1_500) {
                let sent = begun.elapsed();
                if charge(&instance, &terms, 1).await.unwrap().taken {
                    admitted.push((sent, begun.elapsed()));
                }
                let is_calm = begun.elapsed() < Duration::from_millis(700);
                tokio::time::sleep(Duration::from_millis(if is_calm { 60 } else { 1 })).await;
            }
            admitted
        });
    }
    let mut admitted = askers.join_all().await.concat();
    admitted.sort_by_key(|(_, answered)| *answered);
    for (from, _) in &admitted {
        let mut units = 0;
        for (_, to) in admitted.iter().filter(|(sent, _)| sent >= from) {
            units += 1;
            let span = u64::try_from((*to - *from).as_micros()).unwrap();
            // One more, since both ends are rounded.
            let exact = BURST + RATE * span / 1_000_000 + 1;
            let most = exact + INSTANCES as u64 * (BURST / 10);
            assert!(units <= most, "{units} from {from:?} to {to:?}");
        }
    }
    assert!(
        admitted.len() as u64 > BURST + RATE / 2,
        "{} in 1.5 s",
        admitted.len()
    );
    let leases: u64 = scene.instances.iter().map(|one| one.stats().leases).sum();
    assert!(leases >= INSTANCES as u64, "{leases} leases");
}
