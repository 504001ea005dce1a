//! Consumers that are known elsewhere: asked once, remembered as long as said, bounded.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use aforo::Limiter;
use aforo::core::{Span, Timestamp};
use aforo::identity::{Found, FoundOverride, Lookup, LookupAnswer, LookupError, PresentedKey};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::support::{Bench, START, Seen, bench, built, get, settings, with};

const PEER: &str = "192.0.2.1";

/// Answers from a table that tests change.
#[derive(Clone, Default)]
struct Table(Arc<Shared>);

#[derive(Default)]
struct Shared {
    consumers: Mutex<HashMap<Vec<u8>, Found>>,
    failing: Mutex<bool>,
    /// Whether an answer waits to be let go.
    held: Mutex<bool>,
    release: Notify,
    under_way: AtomicUsize,
    asked: AtomicU64,
}

impl Table {
    fn of(consumers: &[(&str, Found)]) -> Self {
        let table = Self::default();
        for (key, found) in consumers {
            table.put(key, found.clone());
        }
        table
    }

    fn put(&self, key: &str, found: Found) {
        let mut consumers = self.0.consumers.lock().unwrap();
        consumers.insert(key.as_bytes().to_vec(), found);
    }

    fn revoke(&self, key: &str) {
        self.0.consumers.lock().unwrap().remove(key.as_bytes());
    }

    fn fails(&self, failing: bool) {
        *self.0.failing.lock().unwrap() = failing;
    }

    fn asked(&self) -> u64 {
        self.0.asked.load(Ordering::Relaxed)
    }
}

impl Lookup for Table {
    fn find<'a>(&'a self, key: &'a PresentedKey) -> LookupAnswer<'a> {
        self.0.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            if *self.0.held.lock().unwrap() {
                self.0.under_way.fetch_add(1, Ordering::Relaxed);
                self.0.release.notified().await;
            }
            if *self.0.failing.lock().unwrap() {
                return Err(LookupError::Unavailable("down".to_owned()));
            }
            Ok(self
                .0
                .consumers
                .lock()
                .unwrap()
                .get(key.as_bytes())
                .cloned())
        })
    }
}

const PLANS: &str = r#"
    [plans.anonymous]
    policies = ["1000/minute fixed-window"]
    [plans.pro]
    policies = ["3/minute fixed-window"]
    [plans.free]
    policies = ["2/minute fixed-window"]
    [teams.blue]
    policies = ["100/minute fixed-window"]
"#;

fn pro(id: &str) -> Found {
    Found {
        plan: Some("pro".to_owned()),
        ..Found::new(id)
    }
}

fn with_table(table: &Table, more: &str) -> Bench {
    built(
        Limiter::builder()
            .settings(settings(&format!("{PLANS}\n{more}")))
            .lookup(table.clone()),
    )
}

async fn send(bench: &Bench, key: &str) -> Seen {
    bench.send(PEER, with(get("/"), "x-api-key", key)).await
}

/// The plan that a response shows.
fn plan(seen: &Seen) -> &str {
    let policy = seen.field("x-ratelimit-policy").unwrap();
    policy.split(';').next().unwrap()
}

#[tokio::test]
async fn a_consumer_is_asked_for_once_and_counted_by_its_id() {
    let table = Table::of(&[("k1", pro("acme")), ("k2", pro("acme"))]);
    let bench = with_table(&table, "");
    let mut codes = Vec::new();
    for key in ["k1", "k1", "k2", "k2", "k1"] {
        codes.push(send(&bench, key).await.code());
    }
    assert_eq!(codes, [200, 200, 200, 429, 429]);
    assert_eq!(table.asked(), 2);
}

#[tokio::test]
async fn keys_of_the_file_are_not_asked_for() {
    let table = Table::default();
    let more = r#"
        [[consumers]]
        id = "file"
        plan = "free"
        api_key_sha256 = ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]
    "#;
    let bench = with_table(&table, more);
    assert_eq!(plan(&send(&bench, "test").await), "free");
    assert_eq!(table.asked(), 0);
}

#[tokio::test]
async fn a_revoked_key_stops_and_a_new_one_works_within_the_stated_times() {
    let table = Table::of(&[("old", pro("acme"))]);
    let bench = with_table(&table, "");
    assert_eq!(plan(&send(&bench, "old").await), "pro");
    assert_eq!(plan(&send(&bench, "new").await), "anonymous");
    table.revoke("old");
    table.put("new", pro("globex"));

    bench.at(4_999);
    assert_eq!(plan(&send(&bench, "new").await), "anonymous");
    bench.at(5_000);
    assert_eq!(plan(&send(&bench, "new").await), "pro");
    bench.at(29_999);
    assert_eq!(plan(&send(&bench, "old").await), "pro");
    bench.at(30_000);
    assert_eq!(plan(&send(&bench, "old").await), "anonymous");
}

#[tokio::test]
async fn a_key_ends_with_its_end_even_while_it_is_remembered() {
    let ends = Timestamp::from_seconds(START).plus(Span::from_seconds(10));
    let found = Found {
        expires: Some(ends),
        ..pro("acme")
    };
    let table = Table::of(&[("k", found)]);
    let bench = with_table(&table, "");
    bench.at(9_999);
    assert_eq!(plan(&send(&bench, "k").await), "pro");
    bench.at(10_000);
    assert_eq!(plan(&send(&bench, "k").await), "anonymous");
    // Nor does a failing lookup bring it back.
    table.fails(true);
    bench.at(10_001);
    assert_eq!(plan(&send(&bench, "k").await), "anonymous");
}

#[tokio::test]
async fn while_it_fails_known_consumers_stay_known_for_a_while() {
    let table = Table::of(&[("k", pro("acme"))]);
    let bench = with_table(
        &table,
        "[identity]\nlookup = { cache = \"30s\", stale = \"10min\" }",
    );
    assert_eq!(plan(&send(&bench, "k").await), "pro");
    table.fails(true);
    bench.at(629_999);
    assert_eq!(plan(&send(&bench, "k").await), "pro");
    bench.at(630_000);
    assert_eq!(plan(&send(&bench, "k").await), "anonymous");
}

#[tokio::test]
async fn while_it_fails_others_are_anonymous_and_told_so() {
    let table = Table::of(&[("k", pro("acme"))]);
    table.fails(true);
    let text = PLANS.replace("1000/minute", "1/minute");
    let builder = Limiter::builder()
        .settings(settings(&text))
        .lookup(table.clone());
    let bench = built(builder);
    assert_eq!(send(&bench, "k").await.code(), 200);
    let denied = send(&bench, "k").await;
    assert_eq!(denied.code(), 429);
    assert_eq!(denied.problem()["credential"], "unverified");
}

#[tokio::test]
async fn or_they_are_refused() {
    for more in [
        "[identity]\nlookup = { on_failure = \"deny\" }",
        "[identity]\nanonymous = \"deny\"",
    ] {
        let table = Table::of(&[("k", pro("acme"))]);
        let bench = with_table(&table, more);
        assert_eq!(plan(&send(&bench, "k").await), "pro");
        table.fails(true);
        let refused = send(&bench, "other").await;
        assert_eq!(refused.code(), 503, "{more}");
        // Who is remembered goes on, and those without a credential are not touched by it.
        assert_eq!(send(&bench, "k").await.code(), 200);
        let bare = if more.contains("anonymous") { 401 } else { 200 };
        assert_eq!(bench.status(PEER, "/").await, bare);
    }
}

#[tokio::test]
async fn a_lookup_that_failed_five_times_is_asked_once_a_second() {
    let table = Table::default();
    table.fails(true);
    let bench = with_table(&table, "");
    for key in 0..50 {
        send(&bench, &format!("k{key}")).await;
    }
    assert_eq!(table.asked(), 5);
    bench.at(1_000);
    for key in 0..50 {
        send(&bench, &format!("k{key}")).await;
    }
    assert_eq!(table.asked(), 6);
    table.fails(false);
    table.put("k1", pro("acme"));
    bench.at(2_000);
    assert_eq!(plan(&send(&bench, "k1").await), "pro");
}

#[tokio::test]
async fn many_requests_with_one_key_ask_once() {
    let table = Table::of(&[("k", pro("acme"))]);
    *table.0.held.lock().unwrap() = true;
    let bench = Arc::new(with_table(&table, ""));
    let mut all = JoinSet::new();
    for _ in 0..50 {
        let bench = Arc::clone(&bench);
        all.spawn(async move { send(&bench, "k").await.code() });
    }
    while table.0.under_way.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    table.0.release.notify_waiters();
    let codes = all.join_all().await;
    assert_eq!(table.asked(), 1);
    assert_eq!(codes.iter().filter(|code| **code == 200).count(), 3);
}

#[tokio::test]
async fn who_goes_away_does_not_take_the_answer_of_others_along() {
    let table = Table::of(&[("k", pro("acme"))]);
    *table.0.held.lock().unwrap() = true;
    let bench = Arc::new(with_table(&table, ""));
    let spawn = || {
        let bench = Arc::clone(&bench);
        tokio::spawn(async move { send(&bench, "k").await.code() })
    };
    let first = spawn();
    while table.0.under_way.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    let second = spawn();
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    table.0.release.notify_waiters();
    assert_eq!(second.await.unwrap(), 200);
    assert_eq!(table.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_takes_too_long_is_none() {
    let table = Table::of(&[("k", pro("acme"))]);
    *table.0.held.lock().unwrap() = true;
    let bench = with_table(&table, "[identity]\nlookup = { timeout = \"250ms\" }");
    let begun = tokio::time::Instant::now();
    assert_eq!(plan(&send(&bench, "k").await), "anonymous");
    assert_eq!(begun.elapsed().as_millis(), 250);
}

#[tokio::test]
async fn an_address_that_makes_up_keys_has_few_of_them_asked_for() {
    let table = Table::of(&[("mine", pro("acme")), ("good", pro("globex"))]);
    let bench = with_table(&table, "");
    assert_eq!(send(&bench, "mine").await.code(), 200);
    let mut passed = 0;
    for guess in 0..500 {
        passed += u32::from(send(&bench, &format!("guess-{guess}")).await.code() == 200);
    }
    assert_eq!(passed, 60);
    assert_eq!(table.asked(), 61);
    // A consumer that was seen before is not locked out, even when its time is over.
    assert_eq!(send(&bench, "mine").await.code(), 200);
    bench.at(30_000);
    table.revoke("nothing");
    assert_eq!(plan(&send(&bench, "mine").await), "pro");
    // Nor is anybody at another address.
    let other = with(get("/"), "x-api-key", "good");
    assert_eq!(plan(&bench.send("198.51.100.1", other).await), "pro");
}

#[tokio::test]
async fn keys_that_turn_out_good_cost_their_address_nothing() {
    let table = Table::default();
    for consumer in 0..200 {
        table.put(&format!("k{consumer}"), pro(&format!("c{consumer}")));
    }
    let bench = with_table(&table, "");
    for consumer in 0..200 {
        assert_eq!(send(&bench, &format!("k{consumer}")).await.code(), 200);
    }
}

#[tokio::test]
async fn a_flood_of_made_up_keys_drives_no_consumer_out() {
    let table = Table::of(&[("k", pro("acme"))]);
    let more = "[identity]\nlookup = { max_known = 8, max_unknown = 8 }";
    let bench = with_table(&table, more);
    assert_eq!(send(&bench, "k").await.code(), 200);
    let before = table.asked();
    for guess in 0..1_000_u32 {
        let [_, _, high, low] = guess.to_be_bytes();
        let made_up = with(get("/"), "x-api-key", &format!("guess-{guess}"));
        bench.send(&format!("198.18.{high}.{low}"), made_up).await;
    }
    assert_eq!(table.asked(), before + 1_000);
    assert_eq!(plan(&send(&bench, "k").await), "pro");
    assert_eq!(table.asked(), before + 1_000);
}

fn override_of(policy: &str, quota: &str, from: Option<u64>, until: Option<u64>) -> FoundOverride {
    let at = |seconds| Timestamp::from_seconds(START + seconds);
    FoundOverride {
        policy: policy.to_owned(),
        quota: quota.to_owned(),
        from: from.map(at),
        until: until.map(at),
        reason: None,
    }
}

#[tokio::test]
async fn a_negotiated_quota_holds_from_its_start_to_its_end() {
    let found = Found {
        overrides: vec![
            override_of("no-such-policy", "1/minute", None, None),
            override_of("pro-minute", "1/mniute", None, None),
            override_of("pro-minute", "5/minute fixed-window", Some(60), Some(120)),
        ],
        ..pro("acme")
    };
    let bench = with_table(&Table::of(&[("k", found)]), "");
    let limit = async |millis| {
        let seen = {
            bench.at(millis);
            send(&bench, "k").await
        };
        seen.field("x-ratelimit-limit").unwrap().to_owned()
    };
    assert_eq!(limit(59_999).await, "3");
    assert_eq!(limit(60_000).await, "5");
    assert_eq!(limit(119_999).await, "5");
    assert_eq!(limit(120_000).await, "3");
}

#[tokio::test]
async fn a_plan_that_the_file_does_not_have_is_the_default_one_or_anonymous_never_none() {
    let nowhere = Found {
        plan: Some("gold".to_owned()),
        ..Found::new("acme")
    };
    let table = Table::of(&[("gold", nowhere), ("none", Found::new("globex"))]);
    let default = with_table(&table, "[identity]\ndefault_plan = \"free\"");
    let without = with_table(&table, "");
    for key in ["gold", "none"] {
        assert_eq!(plan(&send(&default, key).await), "free");
        assert_eq!(plan(&send(&without, key).await), "anonymous");
    }
}

#[tokio::test]
async fn a_reload_keeps_who_is_known_and_gives_it_the_new_plan() {
    let table = Table::of(&[("k", pro("acme"))]);
    let bench = with_table(&table, "");
    assert_eq!(
        send(&bench, "k").await.field("x-ratelimit-limit"),
        Some("3")
    );
    let text = PLANS.replace("3/minute", "7/minute");
    bench.limiter.reload(settings(&text)).unwrap();
    assert_eq!(
        send(&bench, "k").await.field("x-ratelimit-limit"),
        Some("7")
    );
    assert_eq!(table.asked(), 1);
}

#[tokio::test]
async fn an_answer_without_an_id_is_no_answer() {
    let table = Table::of(&[("k", pro("")), ("l", pro("a\u{7}b"))]);
    let bench = with_table(&table, "");
    for key in ["k", "l"] {
        assert_eq!(plan(&send(&bench, key).await), "anonymous");
    }
}

#[tokio::test]
async fn without_a_lookup_nothing_waits() {
    let bench = bench(PLANS);
    assert_eq!(plan(&send(&bench, "k").await), "anonymous");
}
