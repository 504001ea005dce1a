//! What a failing store means, as each policy says.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::frail::Frail;
use crate::support::{Bench, START, built, built_on, get, settings};
use aforo::core::Timestamp;
use aforo::store::{MemoryStore, StoreError};
use aforo::{CheckError, Limiter, ManualClock, Observer};

const PEER: &str = "192.0.2.1";

#[derive(Clone, Default)]
struct Failures(Arc<AtomicU64>);

impl Observer for Failures {
    fn store_failed(&self, store: &str, _: &StoreError) {
        assert_eq!(store, "default");
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

struct Outage {
    bench: Bench,
    down: Arc<AtomicBool>,
    failures: Failures,
}

fn outage(text: &str) -> Outage {
    let down = Arc::new(AtomicBool::new(false));
    let failures = Failures::default();
    let clock = ManualClock::at(Timestamp::from_seconds(START));
    let store = Frail {
        inner: MemoryStore::builder().clock(clock.clone()).build(),
        down: down.clone(),
    };
    let bench = built_on(
        clock,
        Limiter::builder()
            .settings(settings(text))
            .store("default", Arc::new(store))
            .observer(failures.clone()),
    );
    Outage {
        bench,
        down,
        failures,
    }
}

fn text(policies: &str, store: &str) -> String {
    format!(
        "[plans.anonymous]\npolicies = [{policies}]\n[stores.default]\nurl = \"memory\"\n{store}\n"
    )
}

#[tokio::test]
async fn rl_10_with_allow_nobody_sees_the_failure() {
    let outage = outage(&text("\"5/day\"", "on_store_failure = \"allow\""));
    outage.down.store(true, Ordering::Relaxed);
    for _ in 0..9 {
        let seen = outage.bench.send(PEER, get("/")).await;
        assert_eq!(seen.code(), 200);
        for field in [
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "ratelimit",
            "ratelimit-policy",
        ] {
            assert_eq!(seen.field(field), None);
        }
    }
    assert_eq!(outage.failures.0.load(Ordering::Relaxed), 9);
    outage.down.store(false, Ordering::Relaxed);
    assert_eq!(
        outage.bench.at(1_000).statuses(PEER, "/", 6).await,
        [200, 200, 200, 200, 200, 429]
    );
}

#[tokio::test]
async fn rl_03_with_deny_the_answer_is_a_503() {
    let outage = outage(&text("\"5/day\"", "on_store_failure = \"deny\""));
    outage.down.store(true, Ordering::Relaxed);
    let seen = outage.bench.send(PEER, get("/")).await;
    assert_eq!(seen.code(), 503);
    let kind = seen.problem()["type"].as_str().unwrap().to_owned();
    assert!(kind.ends_with("temporary-reduced-capacity"), "{kind}");
    assert_eq!(seen.field("x-ratelimit-limit"), None);
    outage.down.store(false, Ordering::Relaxed);
    assert_eq!(outage.bench.status(PEER, "/").await, 200);
}

#[tokio::test]
async fn rl_37_probes_pass_while_the_store_is_down() {
    let exempt = "on_store_failure = \"deny\"\n[[routes]]\nmatch = \"/healthz\"\nexempt = true";
    let outage = outage(&text("\"5/day\"", exempt));
    outage.down.store(true, Ordering::Relaxed);
    assert_eq!(outage.bench.status(PEER, "/").await, 503);
    assert_eq!(outage.bench.statuses(PEER, "/healthz", 10).await, [200; 10]);
}

#[tokio::test]
async fn with_local_an_instance_counts_its_share() {
    let store = "on_store_failure = \"local\"\ninstances = 4";
    let outage = outage(&text("\"10/day fixed-window\"", store));
    outage.down.store(true, Ordering::Relaxed);
    // A quarter of ten, rounded up.
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let seen = outage.bench.send(PEER, get("/")).await;
        assert_eq!(seen.field("x-ratelimit-limit"), None);
        if seen.code() == 429 {
            assert_eq!(seen.retry_after(), Some(86_400));
        }
        statuses.push(seen.code());
    }
    assert_eq!(statuses, [200, 200, 200, 429]);
    // What was counted locally stays apart from the store.
    outage.down.store(false, Ordering::Relaxed);
    assert_eq!(outage.bench.send(PEER, get("/")).await.remaining(), Some(9));
}

#[tokio::test]
async fn each_policy_may_say_what_a_failure_means() {
    let policies = "\"@strict\", \"@loose\"\n]\n[policies.strict]\nquota = \"5/day\"\non_store_failure = \"deny\"\n\
                    [policies.loose]\nquota = \"5/day\"\non_store_failure = \"allow\"\n#";
    let outage = outage(&text(policies, ""));
    outage.down.store(true, Ordering::Relaxed);
    assert_eq!(outage.bench.status(PEER, "/").await, 503);
    let strict = outage.bench.limiter.check("strict", "ana").await;
    assert!(matches!(
        strict,
        Err(CheckError::Store(StoreError::Timeout))
    ));
    let loose = outage.bench.limiter.check("loose", "ana").await.unwrap();
    assert!(loose.is_allowed() && loose.outcome.is_none());
}

#[tokio::test]
async fn rl_42_the_fallback_does_not_answer_denials() {
    let outage = outage(&text(
        "\"2/day fixed-window\"",
        "on_store_failure = \"local\"",
    ));
    assert_eq!(outage.bench.statuses(PEER, "/", 3).await, [200, 200, 429]);
    assert_eq!(outage.failures.0.load(Ordering::Relaxed), 0);
}

/// Two stores, one policy in each.
const TWO_STORES: &str = r#"
    [plans.anonymous]
    policies = ["@a", "@b"]
    [policies.a]
    quota = "10/day fixed-window"
    store = "aa"
    [policies.b]
    quota = "2/day fixed-window"
    store = "bb"
    [stores.aa]
    url = "memory"
    [stores.bb]
    url = "memory"
"#;

#[tokio::test]
async fn all_or_nothing_holds_across_stores() {
    let bench = built(Limiter::builder().settings(settings(TWO_STORES)));
    assert_eq!(
        bench.statuses(PEER, "/", 5).await,
        [200, 200, 429, 429, 429]
    );
    let a = bench.send(PEER, get("/")).await;
    let fields = a.field("ratelimit").unwrap();
    assert!(fields.contains("\"a\";r=8"), "{fields}");
}

#[tokio::test]
async fn a_store_after_the_one_that_denies_shows_what_is_left_there() {
    let first_denies = TWO_STORES
        .replace("[stores.aa]", "[stores.cc]")
        .replace("store = \"aa\"", "store = \"cc\"");
    let bench = built(Limiter::builder().settings(settings(&first_denies)));
    assert_eq!(bench.statuses(PEER, "/", 4).await, [200, 200, 429, 429]);
    let denied = bench.send(PEER, get("/")).await;
    assert_eq!(denied.code(), 429);
    let fields = denied.field("ratelimit").unwrap();
    assert!(fields.contains("\"a\";r=8"), "{fields}");
}

#[tokio::test]
async fn a_waiting_store_serves_the_same_way() {
    let outage = outage(&text("\"2/day fixed-window\"", ""));
    let seen = outage.bench.send(PEER, get("/")).await;
    assert_eq!((seen.code(), seen.remaining()), (200, Some(1)));
    assert!(matches!(
        Limiter::builder()
            .policy("p", "1/day")
            .store(
                "default",
                Arc::new(Frail {
                    inner: MemoryStore::builder().clock(ManualClock::default()).build(),
                    down: Arc::default()
                })
            )
            .build()
            .unwrap()
            .check_now("p", "x"),
        Err(CheckError::Waits(_))
    ));
}

#[tokio::test]
async fn a_policy_that_counts_denials_takes_them_in_whichever_store_it_is() {
    for (strict, counting) in [("aa", "aa"), ("aa", "bb"), ("bb", "aa")] {
        let text = format!(
            r#"
            [plans.anonymous]
            policies = ["@strict", "@counting", "@other"]
            [policies.strict]
            quota = "1/minute fixed-window"
            store = "{strict}"
            [policies.counting]
            quota = "5/10min fixed-window"
            denials = true
            store = "{counting}"
            [policies.other]
            quota = "5/10min fixed-window"
            store = "{counting}"
            [stores.aa]
            url = "memory"
            [stores.bb]
            url = "memory"
            "#
        );
        let bench = built(Limiter::builder().settings(settings(&text)));
        assert_eq!(
            bench.statuses(PEER, "/", 4).await,
            [200, 429, 429, 429],
            "{strict} {counting}"
        );
        let seen = bench.at(60_000).send(PEER, get("/")).await;
        let fields = seen.field("ratelimit").unwrap();
        assert!(
            fields.contains("\"counting\";r=0"),
            "{strict} {counting}: {fields}"
        );
        assert!(
            fields.contains("\"other\";r=3"),
            "{strict} {counting}: {fields}"
        );
        assert_eq!(bench.at(120_000).status(PEER, "/").await, 429);
    }
}
