//! A limiter before a scripted shared store.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aforo::core::Timestamp;
use aforo::{Limiter, ManualClock, Observer, StoreState};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::scripted::Scripted;
use crate::support::{Bench, START, built_on, settings};

const PEER: &str = "192.0.2.1";

/// What an observer was told.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    changes: Arc<Mutex<Vec<StoreState>>>,
    near: Arc<Mutex<Vec<String>>>,
}

impl Seen {
    pub(crate) fn changes(&self) -> Vec<StoreState> {
        self.changes.lock().unwrap().clone()
    }

    /// The policies whose denials were known, since the last call.
    pub(crate) fn near(&self) -> Vec<String> {
        std::mem::take(&mut *self.near.lock().unwrap())
    }
}

impl Observer for Seen {
    fn store_changed(&self, store: &str, state: StoreState) {
        assert_eq!(store, "default");
        self.changes.lock().unwrap().push(state);
    }

    fn near_cache_hit(&self, store: &str, policy: &str) {
        assert_eq!(store, "default");
        self.near.lock().unwrap().push(policy.to_owned());
    }
}

pub(crate) struct Scene {
    pub(crate) bench: Arc<Bench>,
    pub(crate) store: Scripted,
    pub(crate) seen: Seen,
}

pub(crate) fn scene(policies: &str, store: &str) -> Scene {
    scene_of(&format!(
        "[plans.anonymous]\npolicies = [{policies}]\n[stores.default]\nurl = \"redis://a\"\n{store}\n"
    ))
}

/// The store `default` of the file is scripted.
pub(crate) fn scene_of(text: &str) -> Scene {
    let clock = ManualClock::at(Timestamp::from_seconds(START));
    let store = Scripted::new(&clock);
    let seen = Seen::default();
    let builder = Limiter::builder()
        .settings(settings(text))
        .store("default", Arc::new(store.clone()))
        .observer(seen.clone());
    Scene {
        bench: Arc::new(built_on(clock, builder)),
        store,
        seen,
    }
}

impl Scene {
    /// The statuses of that many requests at once, and how long they took together.
    pub(crate) async fn at_once(&self, requests: usize) -> (Vec<u16>, Duration) {
        let begun = Instant::now();
        let mut all = JoinSet::new();
        for _ in 0..requests {
            let bench = Arc::clone(&self.bench);
            all.spawn(async move { bench.status(PEER, "/").await });
        }
        (all.join_all().await, begun.elapsed())
    }

    /// The status of one request, and how long it took.
    pub(crate) async fn one(&self) -> (u16, Duration) {
        let begun = Instant::now();
        (self.bench.status(PEER, "/").await, begun.elapsed())
    }
}
