//! `precision = "leased"`: most requests are answered without asking the shared store.

use aforo::core::Span;
use aforo::{LeaseStats, StoreState};

use crate::scene::{Scene, scene_of};
use crate::scripted::Does;

const PEER: &str = "192.0.2.1";

fn scene(policies: &str, store: &str) -> Scene {
    scene_of(&format!(
        "[plans.anonymous]\npolicies = [\"@hot\"]\n[stores.default]\nurl = \"redis://a\"\n{store}\n{policies}"
    ))
}

const HOT: &str = "[policies.hot]\nquota = \"1000/hour fixed-window\"\nprecision = \"leased\"\n";

#[tokio::test]
async fn a_hot_caller_rarely_asks_the_store_and_gets_its_quota() {
    let scene = scene(HOT, "on_store_failure = \"deny\"");
    let statuses = scene.bench.statuses(PEER, "/", 900).await;
    assert!(statuses.iter().all(|status| *status == 200));
    let asked = scene.store.asked();
    assert!(asked < 30, "{asked} questions");
    let statuses = scene.bench.statuses(PEER, "/", 200).await;
    let passed = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(passed, 100, "exactly the quota");
    assert_eq!(scene.bench.limiter.stores().len(), 1);
}

#[tokio::test]
async fn a_store_s_status_says_what_was_leased_and_given_back() {
    let scene = scene(HOT, "on_store_failure = \"deny\"");
    let leases = || scene.bench.limiter.stores()[0].leases;
    assert_eq!(leases(), LeaseStats::default());
    // The second takes four in advance, of which three are spent.
    scene.bench.statuses(PEER, "/", 5).await;
    let expected = LeaseStats {
        leases: 1,
        answered: 3,
        given_back: 0,
    };
    assert_eq!(leases(), expected);
    scene.bench.clock.advance(Span::from_seconds(1));
    assert_eq!(scene.bench.status(PEER, "/").await, 200);
    let expected = LeaseStats {
        leases: 2,
        answered: 3,
        given_back: 1,
    };
    assert_eq!(leases(), expected);
}

#[tokio::test]
async fn exact_is_the_default_and_asks_for_each_request() {
    let exact = HOT.replace("leased", "exact");
    let scene = scene(&exact, "on_store_failure = \"deny\"");
    scene.bench.statuses(PEER, "/", 100).await;
    assert_eq!(scene.store.asked(), 100);
}

#[tokio::test]
async fn a_lease_is_spent_while_the_store_fails_and_says_nothing_about_it() {
    let scene = scene(HOT, "on_store_failure = \"deny\"");
    assert_eq!(scene.bench.statuses(PEER, "/", 2).await, [200, 200]);
    scene.store.does(Does::Refuse);
    let statuses = scene.bench.statuses(PEER, "/", 10).await;
    assert_eq!(statuses, [200, 200, 200, 200, 503, 503, 503, 503, 503, 503]);
    assert_eq!(scene.seen.changes(), [StoreState::Fails]);
    scene.store.does(Does::Answer);
    scene.bench.clock.advance(Span::from_seconds(1));
    assert_eq!(scene.bench.status(PEER, "/").await, 200);
    let changes = scene.seen.changes();
    assert_eq!(changes, [StoreState::Fails, StoreState::Answers]);
}
