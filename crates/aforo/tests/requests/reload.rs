//! What a reload leaves.

use crate::support::{bench, get, settings};

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
