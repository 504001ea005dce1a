//! Denials of a shared store, remembered for up to a second.

use aforo::core::{Decision, Denial, Span};
use aforo::policy::Settings;
use aforo::store::MemoryStore;
use aforo::{Limiter, ManualClock, ProcessEnvironment};
use proptest::prelude::*;
use std::sync::Arc;

use crate::scene::{scene, scene_of};
use crate::scripted::Scripted;
use crate::support::{START, get};

const PEER: &str = "192.0.2.1";

#[tokio::test]
async fn a_caller_in_a_retry_loop_costs_the_store_two_round_trips_a_second() {
    let scene = scene("\"1/hour\"", "");
    assert_eq!(scene.bench.status(PEER, "/").await, 200);
    scene.store.asked();
    for millis in 0..1_000 {
        assert_eq!(scene.bench.at(millis).status(PEER, "/").await, 429);
    }
    assert!(scene.store.asked() <= 2);
    assert_eq!(scene.seen.near().len(), 999);
}

#[tokio::test]
async fn rlx_13_the_near_cache_and_the_store_agree_at_the_limit() {
    let scene = scene("\"10/minute fixed-window\"", "");
    for remaining in (1..10).rev() {
        let seen = scene.bench.send(PEER, get("/")).await;
        assert_eq!((seen.code(), seen.remaining()), (200, Some(remaining)));
    }
    let tenth = scene.bench.send(PEER, get("/")).await;
    assert_eq!((tenth.code(), tenth.remaining()), (200, Some(0)));
    for millis in [0, 1, 500, 59_100, 59_999] {
        assert_eq!(scene.bench.at(millis).status(PEER, "/").await, 429);
    }
    assert!(!scene.seen.near().is_empty());
    assert_eq!(scene.bench.at(60_000).status(PEER, "/").await, 200);
}

#[tokio::test]
async fn a_remembered_denial_says_when_to_come_back_and_shows_the_violated_policy_alone() {
    let scene = scene("\"2/10min fixed-window\", \"50/hour fixed-window\"", "");
    assert_eq!(scene.bench.statuses(PEER, "/", 2).await, [200, 200]);
    let asked = scene.bench.send(PEER, get("/")).await;
    assert_eq!(asked.retry_after(), Some(600));
    assert!(asked.field("ratelimit").unwrap().contains("anonymous-hour"));
    let known = scene.bench.at(900).send(PEER, get("/")).await;
    assert_eq!((known.code(), known.retry_after()), (429, Some(600)));
    assert_eq!(
        known.field("ratelimit"),
        Some("\"anonymous-10minute\";r=0;t=600")
    );
    assert_eq!(
        known.field("x-ratelimit-reset"),
        asked.field("x-ratelimit-reset")
    );
    assert_eq!(scene.seen.near(), ["anonymous-10minute"]);
}

#[tokio::test]
async fn policies_that_count_by_result_or_count_denials_are_always_asked() {
    for line in [
        "count = \"failures\"",
        "denials = true",
        "action = \"shadow\"",
    ] {
        let text = format!(
            "[plans.anonymous]\npolicies = [\"@p\"]\n[policies.p]\nquota = \"1/hour\"\n{line}\n\
             [stores.default]\nurl = \"redis://a\"\n"
        );
        let scene = scene_of(&text);
        for _ in 0..5 {
            let _ = scene
                .bench
                .send_answered(PEER, get("/"), |_| {
                    let mut answer = http::Response::new(());
                    *answer.status_mut() = http::StatusCode::UNAUTHORIZED;
                    answer
                })
                .await;
        }
        assert!(scene.store.asked() >= 5, "{line}");
        assert!(scene.seen.near().is_empty(), "{line}");
    }
}

#[tokio::test]
async fn a_reset_and_a_raised_quota_are_seen_at_once() {
    let scene = scene("\"1/hour\"", "");
    let limiter = &scene.bench.limiter;
    let text = |quota: &str| {
        let text =
            format!("[policies.p]\nquota = \"{quota}\"\n[stores.default]\nurl = \"redis://a\"\n");
        Settings::parse("a.toml", &text, &ProcessEnvironment).unwrap()
    };
    limiter.reload(text("1/hour")).unwrap();
    let allowed = async || limiter.check("p", "ana").await.unwrap().is_allowed();
    assert!(allowed().await);
    assert!(!allowed().await);
    assert!(!allowed().await);
    assert_eq!(scene.seen.near(), ["p"]);
    limiter.reset("p", "ana").await.unwrap();
    assert!(allowed().await);
    assert!(!allowed().await);
    limiter.reload(text("3/hour")).unwrap();
    assert!(allowed().await);
    assert!(!scene.seen.near().contains(&"p".to_owned()));
}

#[tokio::test]
async fn what_another_store_would_take_is_not_taken() {
    let text = r#"
        [plans.anonymous]
        policies = ["@a", "@b"]
        [policies.a]
        quota = "10/day fixed-window"
        store = "aa"
        [policies.b]
        quota = "2/day fixed-window"
        [stores.aa]
        url = "memory"
        [stores.default]
        url = "redis://a"
    "#;
    let scene = scene_of(text);
    let statuses = scene.bench.statuses(PEER, "/", 9).await;
    assert_eq!(statuses, [200, 200, 429, 429, 429, 429, 429, 429, 429]);
    assert_eq!(scene.seen.near().len(), 6);
    let seen = scene.bench.at(1_500).send(PEER, get("/")).await;
    assert!(seen.field("ratelimit").unwrap().contains("\"a\";r=8"));
}

/// One step of a random sequence: how long after the last, and what it costs.
fn steps() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((0..700_000_u64, 1..6_u64), 1..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn decisions_and_waits_are_those_of_the_store(steps in steps(), quota in 0..4_usize) {
        let quota = ["12/4s burst 7", "9/3s", "8/2s fixed-window", "6/3s sliding-log"][quota];
        let clock = ManualClock::at(aforo::core::Timestamp::from_seconds(START));
        let built = |shared: bool| {
            let builder = Limiter::builder().policy("p", quota).clock(clock.clone());
            match shared {
                true => builder.store("default", Arc::new(Scripted::new(&clock))),
                false => builder.store("other", Arc::new(MemoryStore::new())),
            }
            .build()
            .unwrap()
        };
        let (near, exact) = (built(true), built(false));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for (micros, cost) in steps {
            clock.advance(Span::from_micros(micros));
            let decided = |limiter: &Limiter| {
                let check = runtime.block_on(limiter.check_cost("p", "ana", cost)).unwrap();
                match check.decision {
                    Decision::Allow => None,
                    Decision::Deny(Denial::Later(wait)) => Some(wait),
                    other => panic!("{other:?}"),
                }
            };
            prop_assert_eq!(decided(&near), decided(&exact));
        }
    }
}
