//! What a reload leaves.

use aforo::Limiter;

use crate::support::{bench, built, get, settings};

const PEER: &str = "192.0.2.1";

/// One policy for anonymous callers.
fn anonymous(quota: &str) -> String {
    format!("[plans.anonymous]\npolicies = [\"{quota}\"]\n")
}

#[tokio::test]
async fn rl_28_a_reload_refills_nothing() {
    let text = anonymous("1/minute burst 5");
    let bench = bench(&text);
    assert_eq!(
        bench.statuses(PEER, "/", 6).await,
        [200, 200, 200, 200, 200, 429]
    );
    for unrelated in 0..3 {
        let text = format!("{text}\n[plans.other-{unrelated}]\npolicies = [\"1/second\"]");
        bench.limiter.reload(settings(&text)).unwrap();
        assert_eq!(bench.status(PEER, "/").await, 429);
    }
}

#[tokio::test]
async fn rl_35_a_new_quota_holds_for_callers_who_are_there_already() {
    let bench = bench(&anonymous("100/minute fixed-window"));
    bench.statuses(PEER, "/", 5).await;
    bench
        .limiter
        .reload(settings(&anonymous("2/minute fixed-window")))
        .unwrap();
    let old = bench.send(PEER, get("/")).await;
    assert_eq!(old.code(), 429);
    assert_eq!(old.field("x-ratelimit-limit"), Some("2"));
    assert_eq!(old.remaining(), Some(0));
    assert_eq!(bench.status("192.0.2.2", "/").await, 200);
}

#[tokio::test]
async fn rl_35_from_thirty_to_nothing_to_a_hundred_and_fifty() {
    let bench = bench(&anonymous("30/minute fixed-window"));
    assert_eq!(bench.send(PEER, get("/")).await.remaining(), Some(29));
    bench
        .limiter
        .reload(settings(&anonymous("0/minute")))
        .unwrap();
    let blocked = bench.send(PEER, get("/")).await;
    assert_eq!((blocked.code(), blocked.retry_after()), (429, None));
    bench
        .limiter
        .reload(settings(&anonymous("150/minute fixed-window")))
        .unwrap();
    let seen = bench.send(PEER, get("/")).await;
    assert_eq!(seen.field("x-ratelimit-limit"), Some("150"));
    assert_eq!(seen.remaining(), Some(148));
}

#[tokio::test]
async fn a_bad_file_replaces_nothing() {
    let bench = bench(&anonymous("1/minute fixed-window"));
    assert_eq!(bench.statuses(PEER, "/", 2).await, [200, 429]);
    let path = std::env::temp_dir().join(format!("aforo-bad-{}.toml", std::process::id()));
    std::fs::write(&path, "[plans.anonymous]\npolicies = [\"10/horu\"]\n").unwrap();
    let error = bench.limiter.reload_file(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(error.contains("horu"), "{error}");
    assert_eq!(bench.status(PEER, "/").await, 429);
    let missing = bench
        .limiter
        .reload_file("/nowhere/aforo.toml")
        .unwrap_err();
    assert!(
        missing
            .to_string()
            .starts_with("cannot read /nowhere/aforo.toml: ")
    );
}

#[tokio::test]
async fn code_adds_to_a_file() {
    let file = || Limiter::builder().settings(settings(&anonymous("1/minute fixed-window")));
    let bench = built(file().policy("exports", "1/hour").plan("pro", ["9/minute"]));
    assert_eq!(bench.statuses(PEER, "/", 2).await, [200, 429]);
    assert!(
        bench
            .limiter
            .check_now("exports", "acme")
            .unwrap()
            .is_allowed()
    );
    assert!(bench.limiter.settings().plans.contains_key("pro"));

    let twice = file()
        .plan("anonymous", ["9/minute"])
        .build()
        .err()
        .unwrap();
    assert_eq!(
        twice.to_string(),
        "the plan \"anonymous\" is in the file already; give it another name"
    );
}

#[tokio::test]
async fn a_passage_that_began_before_a_reload_settles_after_it() {
    let text = |amount: u64| {
        format!(
            "[plans.anonymous]\npolicies = [\"@wrong\"]\n[policies.wrong]\n\
             quota = \"{amount}/hour fixed-window\"\ncount = \"failures\"\n"
        )
    };
    let bench = bench(&text(2));
    let admission = bench
        .limiter
        .admit(get("/"), "192.0.2.1:9".parse().ok())
        .await;
    let aforo::Admission::Pass(_, mut passage) = admission else {
        panic!("denied");
    };
    passage.forwarded();
    bench.limiter.reload(settings(&text(3))).unwrap();
    let (mut parts, ()) = http::Response::new(()).into_parts();
    passage.finish(&mut parts).await;
    let wrong = |_: &http::Request<()>| http::Response::builder().status(401).body(()).unwrap();
    for _ in 0..3 {
        assert_eq!(bench.send_answered(PEER, get("/"), wrong).await.code(), 401);
    }
    assert_eq!(bench.status(PEER, "/").await, 429);
}
