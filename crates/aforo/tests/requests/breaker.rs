//! A shared store that fails: nobody waits longer than its timeout, and it is left alone.

use std::time::Duration;

use aforo::StoreState;
use tokio::time::timeout;

use crate::scene::scene;
use crate::scripted::Does;
use crate::support::get;

const PEER: &str = "192.0.2.1";
const TIMEOUT: Duration = Duration::from_millis(50);

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
    let changes = scene.seen.changes();
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
    assert!(scene.seen.changes().is_empty());
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
    let changes = scene.seen.changes();
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

#[tokio::test]
async fn rlx_05_the_memory_of_a_fallback_is_bounded() {
    let store = "on_store_failure = \"local\"\ninstances = 3\nmax_keys = 10000";
    let scene = scene("\"10/minute fixed-window\"", store);
    scene.store.does(Does::Refuse);
    let admitted = scene.bench.statuses("198.51.100.1", "/", 40).await;
    let admitted = admitted.iter().filter(|status| **status == 200).count();
    assert_eq!(admitted, 4, "a third of ten, rounded up");
    for number in 0..50_000_u32 {
        let peer = std::net::Ipv4Addr::from(0x0a00_0000 + number).to_string();
        scene.bench.status(&peer, "/").await;
    }
    // Those for whom there is no entry share some: the fallback did not grow.
    assert!(scene.bench.limiter.overflowed() >= 30_000);
    assert_eq!(scene.bench.status("198.51.100.1", "/").await, 429);
    scene.store.does(Does::Answer);
    let seen = scene.bench.at(1_000).send("198.51.100.1", get("/")).await;
    assert_eq!((seen.code(), seen.remaining()), (200, Some(9)));
}
