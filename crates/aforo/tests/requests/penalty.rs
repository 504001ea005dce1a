//! Repeated denials block for longer.

use std::sync::Arc;

use crate::support::{Bench, bench, get, post_json, settings, with};
use http::{Request, Response};

const PEER: &str = "192.0.2.1";

fn penalised(quota: &str, penalty: &str) -> Bench {
    bench(&format!(
        "[plans.anonymous]\npolicies = [{{ name = \"calls\", quota = \"{quota}\", penalty = {penalty} }}]\n"
    ))
}

/// The status at a time, and Retry-After.
async fn at(bench: &Bench, millis: u64) -> (u16, Option<u64>) {
    let seen = bench.at(millis).send(PEER, get("/")).await;
    (seen.code(), seen.retry_after())
}

#[tokio::test]
async fn rlx_02_a_block_that_ends_within_the_second_still_blocks() {
    for quota in ["1/s burst 1", "1/s fixed-window", "1/s", "1/s sliding-log"] {
        let bench = penalised(quota, "[\"2s\"]");
        assert_eq!(at(&bench, 0).await, (200, None), "{quota}");
        assert_eq!(at(&bench, 100).await, (429, Some(2)), "{quota}");
        // Half a second of the block is left: neither 0 nor allowed.
        assert_eq!(at(&bench, 1_600).await, (429, Some(1)), "{quota}");
        assert_eq!(at(&bench, 2_099).await, (429, Some(1)), "{quota}");
        assert_eq!(at(&bench, 2_100).await, (200, None), "{quota}");
    }
}

#[tokio::test]
async fn each_denial_after_a_block_leads_to_the_next_step() {
    let bench = penalised("1/s burst 1", "[\"1min\", \"10min\", \"1h\"]");
    assert_eq!(at(&bench, 0).await, (200, None));
    assert_eq!(at(&bench, 1).await, (429, Some(60)));
    // Trying again during the block neither lengthens it nor takes anything.
    for second in 1..60 {
        let left = 60 - second;
        assert_eq!(at(&bench, second * 1_000 + 1).await, (429, Some(left)));
    }
    assert_eq!(at(&bench, 60_001).await, (200, None));
    assert_eq!(at(&bench, 60_002).await, (429, Some(600)));
    assert_eq!(at(&bench, 660_001).await, (429, Some(1)));
    assert_eq!(at(&bench, 660_002).await, (200, None));
    let third = 660_003;
    assert_eq!(at(&bench, third).await, (429, Some(3_600)));
    // After the last step the last step again.
    let fourth = third + 3_600_000;
    assert_eq!(at(&bench, fourth).await, (200, None));
    assert_eq!(at(&bench, fourth + 1).await, (429, Some(3_600)));
    // Another caller is not blocked.
    let other = bench.send("192.0.2.2", get("/")).await;
    assert_eq!(other.code(), 200);
}

#[tokio::test]
async fn one_step_is_forgotten_in_each_time_of_the_longest() {
    // Blocks begin at 0, 60 s and 660 s: at 660 s three less 11/60 are on the ladder.
    let climbed = async || {
        let bench = penalised("1/s burst 1", "[\"1min\", \"10min\", \"1h\"]");
        for (begin, block) in [(0, 60), (60_000, 600), (660_000, 3_600)] {
            assert_eq!(at(&bench, begin).await, (200, None));
            assert_eq!(at(&bench, begin).await, (429, Some(block)));
        }
        bench
    };
    // The last forgets itself at 3 h exactly: 10 800 s after the first.
    for (later, block) in [
        (4_260_000, 3_600),
        (7_199_999, 3_600),
        (7_200_000, 600),
        (10_799_999, 600),
        (10_800_000, 60),
        (99_999_999, 60),
    ] {
        let bench = climbed().await;
        assert_eq!(at(&bench, later).await, (200, None));
        assert_eq!(at(&bench, later).await, (429, Some(block)), "{later}");
    }
}

#[tokio::test]
async fn a_wait_that_is_longer_than_the_block_is_the_answer() {
    let bench = penalised("2/hour fixed-window", "[\"1min\", \"2h\"]");
    assert_eq!(at(&bench, 0).await, (200, None));
    assert_eq!(at(&bench, 0).await, (200, None));
    assert_eq!(at(&bench, 600_000).await, (429, Some(3_000)));
    assert_eq!(at(&bench, 630_000).await, (429, Some(2_970)));
    // Who waits as told is admitted.
    assert_eq!(at(&bench, 3_600_000).await, (200, None));
    assert_eq!(at(&bench, 3_600_000).await, (200, None));
    assert_eq!(at(&bench, 3_600_000).await, (429, Some(7_200)));
}

#[tokio::test]
async fn a_blocked_caller_is_told_when_and_takes_nothing_else() {
    let text = r#"
        [plans.anonymous]
        policies = ["100/hour fixed-window", { name = "calls", quota = "1/s burst 1", penalty = ["10min"] }]
        [policies.denied]
        quota = "5/hour fixed-window"
        partition_by = ["client_ip"]
        denials = true
        [[groups]]
        match = "GET /counted"
        policies = ["@denied"]
    "#;
    let bench = bench(text);
    assert_eq!(at(&bench, 0).await, (200, None));
    assert_eq!(at(&bench, 1).await, (429, Some(600)));
    let seen = bench.at(100_001).send(PEER, get("/")).await;
    assert_eq!(seen.field("x-ratelimit-remaining"), Some("0"));
    let reset: u64 = seen.field("x-ratelimit-reset").unwrap().parse().unwrap();
    assert_eq!(reset, crate::support::START + 601);
    assert_eq!(
        seen.problem()["violated-policies"],
        serde_json::json!(["calls"])
    );
    assert_eq!(seen.problem()["retry_after"], 500);
    // Denials by a block count where denials count.
    for _ in 0..9 {
        assert_eq!(bench.send(PEER, get("/counted")).await.code(), 429);
    }
    let seen = bench.at(600_001).send(PEER, get("/counted")).await;
    assert_eq!(
        seen.problem()["violated-policies"],
        serde_json::json!(["denied"])
    );
    let seen = bench.send(PEER, get("/")).await;
    assert_eq!(seen.code(), 200);
    let fields = seen.field("ratelimit").unwrap();
    assert!(fields.contains("\"anonymous-hour\";r=98"), "{fields}");
}

#[tokio::test]
async fn wrong_guesses_at_an_account_block_it_for_longer() {
    let text = r#"
        [plans.anonymous]
        policies = []
        [policies.account]
        quota = "3/min fixed-window"
        partition_by = ["body:/email"]
        normalize = ["lowercase"]
        count = "failures"
        penalty = ["5min", "1h"]
        [[routes]]
        match = "POST /login"
        policies = ["@account"]
    "#;
    let bench = bench(text);
    let guess = async |peer: &str, email: &str, status: u16| {
        let request = post_json("/login", format!("{{\"email\":\"{email}\"}}"));
        let answer = |_: &Request<()>| Response::builder().status(status).body(()).unwrap();
        let seen = bench.send_answered(peer, request, answer).await;
        (seen.code(), seen.retry_after())
    };
    for _ in 0..3 {
        assert_eq!(guess(PEER, "ana@b.c", 401).await, (401, None));
    }
    assert_eq!(guess("192.0.2.9", "Ana@b.c", 200).await, (429, Some(300)));
    bench.at(299_000);
    assert_eq!(guess(PEER, "ana@b.c", 200).await, (429, Some(1)));
    assert_eq!(guess(PEER, "bob@b.c", 200).await, (200, None));
    bench.at(300_000);
    assert_eq!(guess(PEER, "ana@b.c", 200).await, (200, None));
    for _ in 0..3 {
        assert_eq!(guess(PEER, "ana@b.c", 401).await, (401, None));
    }
    assert_eq!(guess(PEER, "ana@b.c", 401).await, (429, Some(3_600)));
}

#[tokio::test]
async fn what_never_fits_is_no_denial_and_a_reload_keeps_a_block() {
    let text = r#"
        [plans.anonymous]
        policies = [{ name = "calls", quota = "5/s burst 5", penalty = ["1h"] }]
        [[routes]]
        match = "/dear"
        cost = 6
    "#;
    let bench = bench(text);
    assert_eq!(bench.status(PEER, "/dear").await, 422);
    assert_eq!(
        bench.statuses(PEER, "/", 6).await,
        [200, 200, 200, 200, 200, 429]
    );
    bench.limiter.reload(settings(text)).unwrap();
    assert_eq!(at(&bench, 1_800_000).await, (429, Some(1_800)));
    assert_eq!(bench.status(PEER, "/dear").await, 422);
    assert_eq!(at(&bench, 3_600_000).await, (200, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parallel_denials_are_one_step() {
    let bench = Arc::new(penalised("1/s burst 1", "[\"1min\", \"10min\", \"1h\"]"));
    let mut all = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let bench = Arc::clone(&bench);
        all.spawn(async move { bench.status(PEER, "/").await });
    }
    let statuses = all.join_all().await;
    let admitted = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(admitted, 1);
    assert_eq!(at(&bench, 60_000).await, (200, None));
    assert_eq!(at(&bench, 60_000).await, (429, Some(600)));
}

#[tokio::test]
async fn a_policy_by_name_has_its_penalty_too() {
    let text = "[policies.mails]\nquota = \"1/s burst 1\"\npenalty = [\"1min\", \"1h\"]\n";
    let bench = bench(text);
    let check = || bench.limiter.check_now("mails", "ana").unwrap();
    assert!(check().is_allowed());
    assert!(!check().is_allowed());
    bench.at(59_999);
    assert!(!check().is_allowed());
    let looked = bench.limiter.peek("mails", "ana", 1).await.unwrap();
    assert!(!looked.is_allowed());
    bench.at(60_000);
    assert!(check().is_allowed());
    // A reset forgets both the block and how many there were.
    assert!(!check().is_allowed());
    bench.limiter.reset("mails", "ana").await.unwrap();
    assert!(check().is_allowed());
    let denied = check().outcome.unwrap();
    assert_eq!(denied.wait, aforo::core::Span::from_seconds(60));
}

#[tokio::test]
async fn a_body_is_not_asked_for_while_a_block_runs() {
    let bench = bench(
        r#"
        [plans.anonymous]
        policies = [{ name = "calls", quota = "1/s burst 1", penalty = ["1min"] }]
        [policies.account]
        quota = "9/min"
        partition_by = ["body:/email"]
        [[routes]]
        match = "POST /login"
        policies = ["@account"]
    "#,
    );
    assert_eq!(at(&bench, 0).await, (200, None));
    assert_eq!(at(&bench, 0).await, (429, Some(60)));
    bench.at(30_000);
    let request = with(post_json("/login", "no JSON"), "expect", "100-continue");
    let seen = bench.send(PEER, request).await;
    assert_eq!((seen.code(), seen.retry_after()), (429, Some(30)));
}
