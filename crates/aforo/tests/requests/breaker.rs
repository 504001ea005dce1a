//! A shared store that fails: nobody waits longer than its timeout, and it is left alone.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aforo::core::Timestamp;
use aforo::{Limiter, ManualClock, Observer, StoreState};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::scripted::{Does, Scripted};
use crate::support::{Bench, START, built_on, get, settings};

const PEER: &str = "192.0.2.1";
const TIMEOUT: Duration = Duration::from_millis(50);

#[derive(Clone, Default)]
struct Changes(Arc<Mutex<Vec<StoreState>>>);

impl Observer for Changes {
    fn store_changed(&self, store: &str, state: StoreState) {
        assert_eq!(store, "default");
        self.0.lock().unwrap().push(state);
    }
}

struct Scene {
    bench: Arc<Bench>,
    store: Scripted,
    changes: Changes,
}

fn scene(policies: &str, store: &str) -> Scene {
    let text = format!(
        "[plans.anonymous]\npolicies = [{policies}]\n[stores.default]\nurl = \"redis://a\"\n{store}\n"
    );
    let clock = ManualClock::at(Timestamp::from_seconds(START));
    let store = Scripted::new(&clock);
    let changes = Changes::default();
    let builder = Limiter::builder()
        .settings(settings(&text))
        .store("default", Arc::new(store.clone()))
        .observer(changes.clone());
    Scene {
        bench: Arc::new(built_on(clock, builder)),
        store,
        changes,
    }
}

impl Scene {
    /// The statuses of that many requests at once, and how long they took together.
    async fn at_once(&self, requests: usize) -> (Vec<u16>, Duration) {
        let begun = Instant::now();
        let mut all = JoinSet::new();
        for _ in 0..requests {
            let bench = Arc::clone(&self.bench);
            all.spawn(async move { bench.status(PEER, "/").await });
        }
        (all.join_all().await, begun.elapsed())
    }

    /// The status of one request, and how long it took.
    async fn one(&self) -> (u16, Duration) {
        let begun = Instant::now();
        (self.bench.status(PEER, "/").await, begun.elapsed())
    }
}

#[tokio::test(start_paused = true)]
async fn rl_03_a_frozen_store_holds_nobody_longer_than_its_timeout() {
    for (setting, expected) in [("allow", 200), ("deny", 503)] {
        let scene = scene("\"5/day\"", &format!("on_store_failure = \"{setting}\""));
        scene.store.does(Does::Freeze);
        let (statuses, took) = scene.at_once(100).await;
        assert_eq!(statuses, [expected; 100]);
        // Tokio's timer counts whole milliseconds.
        assert!(took <= TIMEOUT + Duration::from_millis(1), "{took:?}");
        assert_eq!(scene.one().await, (expected, Duration::ZERO));
        scene.store.does(Does::Answer);
        let statuses = scene.bench.at(1_000).statuses(PEER, "/", 6).await;
        assert_eq!(statuses, [200, 200, 200, 200, 200, 429]);
    }
}

#[tokio::test(start_paused = true)]
async fn rlx_31_after_five_failures_the_store_is_asked_once_a_second() {
    let scene = scene("\"5/day\"", "on_store_failure = \"allow\"");
    scene.store.does(Does::Freeze);
    for request in 0..20 {
        let (status, took) = scene.one().await;
        assert_eq!(status, 200);
        assert_eq!(took >= TIMEOUT, request < 5, "{request}: {took:?}");
    }
    assert_eq!(scene.store.asked(), 5);
    scene.bench.at(1_000);
    let (statuses, took) = scene.at_once(50).await;
    assert_eq!(statuses, [200; 50]);
    assert!(took <= TIMEOUT + Duration::from_millis(1), "{took:?}");
    assert_eq!(scene.store.asked(), 1, "one probe");
    scene.store.does(Does::Answer);
    scene.bench.at(2_000);
    let (statuses, _) = scene.at_once(3).await;
    assert_eq!(statuses, [200; 3]);
    assert_eq!(scene.store.asked(), 1, "the others do not wait for it");
    assert_eq!(
        scene.bench.statuses(PEER, "/", 5).await,
        [200, 200, 200, 200, 429]
    );
    let changes = scene.changes.0.lock().unwrap().clone();
    assert_eq!(changes, [StoreState::Fails, StoreState::Answers]);
}

#[tokio::test(start_paused = true)]
async fn with_local_a_frozen_store_leaves_this_instances_share() {
    let store = "on_store_failure = \"local\"\ninstances = 4";
    let scene = scene("\"10/day fixed-window\"", store);
    scene.store.does(Does::Freeze);
    let (mut statuses, _) = scene.at_once(20).await;
    statuses.sort_unstable();
    let passed = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(passed, 3, "a quarter of ten, rounded up");
    scene.store.does(Does::Answer);
    let statuses = scene.bench.at(1_000).statuses(PEER, "/", 11).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 10);
}

#[tokio::test(start_paused = true)]
async fn callers_that_leave_hold_nothing() {
    let scene = scene("\"5/day\"", "on_store_failure = \"deny\"");
    scene.store.does(Does::Freeze);
    let soon = Duration::from_millis(10);
    for _ in 0..5_000 {
        let asking = scene.bench.status(PEER, "/");
        assert!(timeout(soon, asking).await.is_err());
    }
    // Leaving says nothing about the store, so it is still asked, and no question is under way.
    assert_eq!(scene.store.asked(), 5_000);
    scene.store.does(Does::Answer);
    assert_eq!(scene.bench.status(PEER, "/").await, 200);
    // A probe that was left does not keep the next away.
    scene.store.does(Does::Refuse);
    assert_eq!(scene.bench.statuses(PEER, "/", 6).await, [503; 6]);
    scene.store.does(Does::Freeze);
    scene.bench.at(1_000);
    let probing = scene.bench.status(PEER, "/");
    assert!(timeout(soon, probing).await.is_err());
    scene.store.does(Does::Answer);
    assert_eq!(scene.bench.status(PEER, "/").await, 503);
    assert_eq!(scene.bench.at(2_000).status(PEER, "/").await, 200);
}

#[tokio::test(start_paused = true)]
async fn questions_under_way_are_bounded() {
    let scene = scene("\"9/day\"", "on_store_failure = \"allow\"");
    scene.store.does(Does::Freeze);
    let (statuses, took) = scene.at_once(10_000).await;
    assert!(statuses.iter().all(|status| *status == 200));
    assert!(took <= TIMEOUT + Duration::from_millis(1), "{took:?}");
    assert_eq!(scene.store.asked(), 4_096);
}

#[tokio::test]
async fn rl_42_a_denial_is_no_failure() {
    let scene = scene("\"2/day fixed-window\"", "on_store_failure = \"local\"");
    for _ in 0..20 {
        scene.bench.status(PEER, "/").await;
        scene
            .bench
            .clock
            .advance(aforo::core::Span::from_seconds(2));
    }
    assert_eq!(scene.bench.status(PEER, "/").await, 429);
    assert_eq!(scene.bench.limiter.stores()[0].state, StoreState::Answers);
    assert!(scene.changes.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn another_hash_key_fails_at_once_and_is_not_ready() {
    let scene = scene("\"5/day\"", "on_store_failure = \"deny\"");
    assert!(scene.bench.limiter.is_ready());
    scene.store.does(Does::Differ);
    let status = scene.bench.limiter.ask_stores().await;
    assert_eq!(status[0].state, StoreState::HashKeyDiffers);
    assert!(!scene.bench.limiter.is_ready());
    scene.store.asked();
    assert_eq!(scene.bench.statuses(PEER, "/", 9).await, [503; 9]);
    assert_eq!(scene.store.asked(), 0);
    scene.store.does(Does::Answer);
    assert_eq!(scene.bench.at(1_000).status(PEER, "/").await, 200);
    assert!(scene.bench.limiter.is_ready());
    // The same when it comes back with another one.
    scene.store.does(Does::Refuse);
    assert_eq!(scene.bench.statuses(PEER, "/", 5).await, [503; 5]);
    assert!(
        scene.bench.limiter.is_ready(),
        "a failing store leaves it ready"
    );
    scene.store.does(Does::Differ);
    assert_eq!(scene.bench.at(2_000).status(PEER, "/").await, 503);
    assert!(!scene.bench.limiter.is_ready());
    let changes = scene.changes.0.lock().unwrap().clone();
    let (answers, fails, differs) = (
        StoreState::Answers,
        StoreState::Fails,
        StoreState::HashKeyDiffers,
    );
    assert_eq!(changes, [differs, answers, fails, differs]);
}

#[tokio::test]
async fn a_question_at_the_start_takes_nothing() {
    let scene = scene("\"1/day\"", "");
    for _ in 0..5 {
        let status = scene.bench.limiter.ask_stores().await;
        assert_eq!(status[0].state, StoreState::Answers);
        assert!(status[0].shared);
    }
    assert_eq!(scene.bench.statuses(PEER, "/", 2).await, [200, 429]);
}

#[tokio::test]
async fn a_failure_shows_no_fields() {
    let scene = scene("\"5/day\"", "on_store_failure = \"allow\"");
    scene.store.does(Does::Refuse);
    for _ in 0..9 {
        let seen = scene.bench.send(PEER, get("/")).await;
        assert_eq!(seen.code(), 200);
        let mut names = seen.headers.keys().map(http::HeaderName::as_str);
        assert!(!names.any(|name| name.contains("ratelimit")), "{seen:?}");
    }
}
