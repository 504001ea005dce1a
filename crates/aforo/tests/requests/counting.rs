//! What is counted, together and apart, and what a reload leaves.

use std::sync::{Arc, Mutex};

use crate::support::{Bench, bench, built, get, settings, with};
use aforo::{Judged, Limiter, Observer};
use http::{Method, Request};

const PEER: &str = "192.0.2.1";

/// One policy for anonymous callers.
fn anonymous(quota: &str) -> String {
    format!("[plans.anonymous]\npolicies = [\"{quota}\"]\n")
}

#[tokio::test]
async fn rl_12_waits_are_rounded_up() {
    let gcra = bench(&anonymous("5/second burst 1 gcra"));
    assert_eq!(gcra.at(0).status(PEER, "/").await, 200);
    let denied = gcra.at(50).send(PEER, get("/")).await;
    assert_eq!((denied.code(), denied.retry_after()), (429, Some(1)));
    assert_eq!(gcra.at(1_050).status(PEER, "/").await, 200);

    let fixed = bench(&anonymous("1/10s fixed-window"));
    assert_eq!(fixed.at(0).status(PEER, "/").await, 200);
    let denied = fixed.at(8_100).send(PEER, get("/")).await;
    assert_eq!((denied.code(), denied.retry_after()), (429, Some(2)));
    assert_eq!(fixed.at(10_100).status(PEER, "/").await, 200);
}

#[tokio::test]
async fn rl_12_a_lone_caller_that_waits_is_admitted() {
    let quotas = [
        "7/3s burst 2",
        "7/3s burst 2 gcra",
        "7/3s fixed-window",
        "7/3s sliding-window",
        "7/3s sliding-log",
    ];
    for quota in quotas {
        let bench = bench(&anonymous(quota));
        let mut now = 137;
        for _ in 0..200 {
            let seen = bench.at(now).send(PEER, get("/")).await;
            if seen.code() == 200 {
                now += 113;
                continue;
            }
            let wait = seen.retry_after().unwrap();
            assert!(wait >= 1, "{quota}");
            now += wait * 1_000;
            assert_eq!(
                bench.at(now).status(PEER, "/").await,
                200,
                "{quota} at {now}"
            );
        }
    }
}

#[tokio::test]
async fn rl_21_a_denied_request_spends_nothing_else() {
    let text = r#"
        [plans.anonymous]
        policies = ["10/minute fixed-window", "30/30min fixed-window", "@site"]
        [policies.site]
        quota = "100/minute fixed-window"
        partition_by = ["everyone"]
    "#;
    let bench = bench(text);
    let mut admitted = 0;
    for hit in 0..31 {
        let status = bench.at(hit * 320).status(PEER, "/").await;
        admitted += u32::from(status == 200);
    }
    assert_eq!(admitted, 10);
    // Ten of the site's hundred are gone, so ninety others pass, and no more.
    for other in 0..90 {
        let peer = format!("198.51.100.{other}");
        assert_eq!(bench.at(20_000 + other).status(&peer, "/").await, 200);
    }
    assert_eq!(bench.at(21_000).status("203.0.113.1", "/").await, 429);
    let later = bench.at(61_000).send(PEER, get("/")).await;
    assert_eq!(later.code(), 200);
    // Of the thirty, eleven are gone.
    let lists = later.field("ratelimit").unwrap();
    assert!(lists.contains("\"anonymous-30minute\";r=19"), "{lists}");
}

#[tokio::test]
async fn rl_21_all_or_nothing_when_a_request_costs_more() {
    let text = r#"
        [plans.anonymous]
        policies = ["10/minute fixed-window", "25/30min fixed-window"]
        [[routes]]
        match = "GET /dear"
        cost = 4
    "#;
    let bench = bench(text);
    assert_eq!(bench.statuses(PEER, "/dear", 3).await, [200, 200, 429]);
    let seen = bench.send(PEER, get("/")).await;
    assert_eq!(seen.code(), 200);
    let lists = seen.field("ratelimit").unwrap();
    assert!(lists.contains("\"anonymous-minute\";r=1"), "{lists}");
    assert!(lists.contains("\"anonymous-30minute\";r=16"), "{lists}");
}

#[tokio::test]
async fn rl_30_two_windows_of_one_caller_are_two_counters() {
    let bench =
        bench("[plans.anonymous]\npolicies = [\"5/minute fixed-window\", \"50/day fixed-window\"]");
    let mut last = None;
    for hit in 0..5 {
        let seen = bench.at(hit * 150).send(PEER, get("/")).await;
        assert_eq!(seen.code(), 200);
        last = Some(seen);
    }
    let lists = last.unwrap().field("ratelimit").unwrap().to_owned();
    assert!(lists.contains("\"anonymous-day\";r=45"), "{lists}");
    assert_eq!(bench.at(900).status(PEER, "/").await, 429);
    // The sixth took nothing of the day.
    let next = bench.at(60_000).send(PEER, get("/")).await;
    let lists = next.field("ratelimit").unwrap();
    assert!(lists.contains("\"anonymous-day\";r=44"), "{lists}");
}

#[tokio::test]
async fn rl_33_a_counter_is_its_policys_name_and_not_its_numbers() {
    let apart = bench(
        r#"
        [plans.anonymous]
        policies = []
        [[routes]]
        match = "/a"
        policies = ["3/minute fixed-window"]
        [[routes]]
        match = "/b"
        policies = ["3/minute fixed-window"]
        "#,
    );
    assert_eq!(apart.at(0).send(PEER, get("/a")).await.remaining(), Some(2));
    assert_eq!(
        apart.at(1_000).send(PEER, get("/b")).await.remaining(),
        Some(2)
    );

    let together = bench(
        r#"
        [plans.anonymous]
        policies = []
        [policies.both]
        quota = "3/minute fixed-window"
        partition_by = ["client_ip"]
        [[routes]]
        match = "/a"
        policies = ["@both"]
        [[routes]]
        match = "/b"
        policies = ["@both"]
        "#,
    );
    let mut statuses = Vec::new();
    for path in ["/a", "/b", "/a", "/b"] {
        statuses.push(together.status(PEER, path).await);
    }
    assert_eq!(statuses, [200, 200, 200, 429]);
}

#[tokio::test]
async fn a_policy_named_twice_counts_once() {
    let bench = bench(
        r#"
        [plans.anonymous]
        policies = ["@shared"]
        [policies.shared]
        quota = "3/minute fixed-window"
        partition_by = ["client_ip"]
        [[routes]]
        match = "/a"
        policies = ["@shared"]
        "#,
    );
    let seen = bench.send(PEER, get("/a")).await;
    assert_eq!(seen.remaining(), Some(2));
    assert_eq!(
        seen.field("ratelimit").unwrap().matches("shared").count(),
        1
    );
}

fn options(headers: &[(&'static str, &str)]) -> Request<http_body_util::Full<bytes::Bytes>> {
    let mut request = get("/");
    *request.method_mut() = Method::OPTIONS;
    headers
        .iter()
        .fold(request, |request, (name, value)| with(request, name, value))
}

#[tokio::test]
async fn rl_17_preflights_are_not_counted_and_pages_can_read_denials() {
    let text = r#"
        [gateway]
        listen = "127.0.0.1:8080"
        upstream = ["builtin:echo"]
        cors = { allow_origins = ["https://page.example"] }
        [plans.anonymous]
        policies = ["2/minute fixed-window"]
    "#;
    let bench = bench(text);
    let preflight = || {
        options(&[
            ("origin", "https://page.example"),
            ("access-control-request-method", "GET"),
        ])
    };
    let mut last = None;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        assert_eq!(bench.send(PEER, preflight()).await.code(), 200);
        let request = with(get("/"), "origin", "https://page.example");
        let seen = bench.send(PEER, request).await;
        assert_eq!(
            seen.field("access-control-allow-origin"),
            Some("https://page.example")
        );
        statuses.push(seen.code());
        last = Some(seen);
    }
    assert_eq!(statuses, [200, 200, 429]);
    let denied = last.unwrap();
    assert_eq!(
        denied.field("access-control-allow-origin"),
        Some("https://page.example")
    );
    let exposed = denied.field("access-control-expose-headers").unwrap();
    assert!(
        exposed.to_ascii_lowercase().contains("retry-after"),
        "{exposed}"
    );
    // An OPTIONS that is no preflight counts.
    assert_eq!(bench.send(PEER, options(&[])).await.code(), 429);
}

#[tokio::test]
async fn rlx_36_the_disclosed_policy_with_the_fewest_units_is_shown() {
    let text = r#"
        [plans.anonymous]
        policies = ["@a", "@b"]
        [policies.a]
        quota = "3/minute fixed-window"
        [policies.b]
        quota = "5/minute fixed-window"
        disclose = "retry"
        [[routes]]
        match = "/b-only"
        policies = []
    "#;
    let bench = bench(text);
    let first = bench.send(PEER, get("/")).await;
    assert_eq!(first.field("x-ratelimit-limit"), Some("3"));
    assert_eq!(first.remaining(), Some(2));
    assert!(!first.field("ratelimit").unwrap().contains("\"b\""));
    bench.statuses(PEER, "/", 2).await;
    let denied = bench.send(PEER, get("/")).await;
    assert_eq!(denied.code(), 429);
    assert_eq!(denied.remaining(), Some(0));
}

#[tokio::test]
async fn rlx_36_a_hidden_policy_denies_without_its_numbers() {
    let text = r#"
        [plans.anonymous]
        policies = ["@a", "@b"]
        [policies.a]
        quota = "9/minute fixed-window"
        [policies.b]
        quota = "5/minute fixed-window"
        disclose = "retry"
    "#;
    let bench = bench(text);
    bench.statuses(PEER, "/", 5).await;
    let denied = bench.send(PEER, get("/")).await;
    assert_eq!((denied.code(), denied.retry_after()), (429, Some(60)));
    let everything = format!("{:?} {:?}", denied.headers, denied.body);
    assert!(!everything.contains("\"b\""), "{everything}");
    assert_ne!(denied.field("x-ratelimit-limit"), Some("5"));
}

#[tokio::test]
async fn rl_52_a_request_that_costs_more_than_there_is_never_passes() {
    let text = r#"
        [plans.anonymous]
        policies = ["10/minute fixed-window"]
        [[routes]]
        match = "POST /graphql"
        cost = 20
    "#;
    let bench = bench(text);
    let mut request = get("/graphql");
    *request.method_mut() = Method::POST;
    let seen = bench.send(PEER, request).await;
    assert_eq!((seen.code(), seen.retry_after()), (422, None));
    assert!(seen.received.is_none());
    assert_eq!(bench.send(PEER, get("/")).await.remaining(), Some(9));
}

#[tokio::test]
async fn rl_51_of_two_sets_of_fields_the_tighter_one_is_kept_once() {
    let bench = bench(&anonymous("10/minute fixed-window"));
    let upstream = |_: &Request<()>| {
        http::Response::builder()
            .status(429)
            .header("x-ratelimit-limit", "1000")
            .header("x-ratelimit-remaining", "999")
            .header("retry-after", "7")
            .body(())
            .unwrap()
    };
    let seen = bench.send_answered(PEER, get("/"), upstream).await;
    assert_eq!(seen.code(), 429);
    assert_eq!(seen.field("x-ratelimit-limit"), Some("10"));
    assert_eq!(seen.remaining(), Some(9));
    assert_eq!(seen.retry_after(), Some(7));
}

#[derive(Clone, Default)]
struct Ledger(Arc<Mutex<Vec<(String, bool, bool)>>>);

impl Observer for Ledger {
    fn judged(&self, judged: &Judged<'_>) {
        let line = (judged.policy.to_owned(), judged.fits, judged.taken);
        self.0.lock().unwrap().push(line);
    }
}

#[tokio::test]
async fn a_shadow_policy_is_reported_and_denies_nothing() {
    let text = r#"
        [plans.anonymous]
        policies = ["@planned", "@real"]
        [policies.planned]
        quota = "1/minute fixed-window"
        action = "shadow"
        [policies.real]
        quota = "3/minute fixed-window"
    "#;
    let ledger = Ledger::default();
    let bench: Bench = built(
        Limiter::builder()
            .settings(settings(text))
            .observer(ledger.clone()),
    );
    assert_eq!(bench.statuses(PEER, "/", 4).await, [200, 200, 200, 429]);
    let planned: Vec<(bool, bool)> = ledger
        .0
        .lock()
        .unwrap()
        .iter()
        .filter(|(name, ..)| name == "planned")
        .map(|(_, fits, taken)| (*fits, *taken))
        .collect();
    assert_eq!(
        planned,
        [(true, true), (false, false), (false, false), (false, false)]
    );
    let seen = bench.send("192.0.2.2", get("/")).await;
    assert!(!seen.field("ratelimit").unwrap().contains("planned"));
}
