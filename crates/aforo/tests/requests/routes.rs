//! Which requests are counted, by which route, and as which path they go on.

use http::Request;

use crate::support::{bench, get};

const PEER: &str = "192.0.2.1";

/// One policy for anonymous callers.
fn anonymous(quota: &str) -> String {
    format!("[plans.anonymous]\npolicies = [\"{quota}\"]\n")
}

#[tokio::test]
async fn rl_27_spellings_share_one_bucket_when_the_file_says_so() {
    let text = r#"
        [plans.anonymous]
        policies = []
        [paths]
        case_sensitive = false
        trailing_slash = "ignore"
        [[routes]]
        match = "/lang"
        policies = ["3/minute fixed-window"]
    "#;
    let bench = bench(text);
    let mut statuses = Vec::new();
    for path in ["/lang", "/LANG", "/lang/"] {
        statuses.extend(bench.statuses(PEER, path, 8).await);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 3);
    assert_eq!(statuses[..3], [200, 200, 200]);
}

#[tokio::test]
async fn rl_37_exempt_routes_are_not_counted_and_only_they_are_exempt() {
    let text = r#"
        [plans.anonymous]
        policies = ["60/minute fixed-window"]
        [[routes]]
        match = "/healthz"
        exempt = true
        [[routes]]
        match = "/grpc.health.v1.Health/Check"
        exempt = true
    "#;
    let bench = bench(text);
    assert_eq!(bench.statuses(PEER, "/healthz", 10).await, [200; 10]);
    assert_eq!(bench.statuses(PEER, "/", 60).await, [200; 60]);
    assert_eq!(bench.status(PEER, "/").await, 429);
    assert_eq!(bench.statuses(PEER, "/healthz", 10).await, [200; 10]);
    let check = "/grpc.health.v1.Health/Check";
    assert_eq!(bench.statuses(PEER, check, 10).await, [200; 10]);
    assert_eq!(bench.status(PEER, "/healthz/../api").await, 429);
    assert_eq!(bench.status(PEER, "/healthz%2f..").await, 400);
}

#[tokio::test]
async fn rlx_26_unknown_paths_are_counted() {
    let bench = bench(&anonymous("2/minute fixed-window"));
    let mut statuses = Vec::new();
    for _ in 0..5 {
        let not_found = |_: &Request<()>| http::Response::builder().status(404).body(()).unwrap();
        statuses.push(
            bench
                .send_answered(PEER, get("/nope"), not_found)
                .await
                .code(),
        );
    }
    assert_eq!(statuses, [404, 404, 429, 429, 429]);
}

#[tokio::test]
async fn the_edge_is_charged_first_and_stays_charged() {
    let text = r#"
        [edge]
        policies = ["5/minute fixed-window"]
        [plans.anonymous]
        policies = ["1/minute fixed-window"]
        [[routes]]
        match = "/healthz"
        exempt = true
    "#;
    let bench = bench(text);
    assert_eq!(bench.statuses(PEER, "/", 3).await, [200, 429, 429]);
    assert_eq!(bench.status(PEER, "/a%2fb").await, 400);
    assert_eq!(bench.status(PEER, "/healthz").await, 200);
    assert_eq!(bench.status(PEER, "/healthz").await, 429);
    assert_eq!(bench.status("192.0.2.2", "/").await, 200);
}

#[tokio::test]
async fn the_path_goes_on_as_it_was_matched() {
    let bench = bench(&anonymous("10/minute"));
    let seen = bench.send(PEER, get("/a/./b//c;x=1?q=%2f&r")).await;
    assert_eq!(seen.path.as_deref(), Some("/a/b/c?q=%2f&r"));
}

#[tokio::test]
async fn a_route_of_other_plans_is_refused() {
    let text = r#"
        [plans.anonymous]
        policies = ["10/minute"]
        [plans.pro]
        policies = ["100/minute"]
        [[routes]]
        match = "/reports"
        plans = ["pro"]
    "#;
    let bench = bench(text);
    let seen = bench.send(PEER, get("/reports")).await;
    assert_eq!(seen.code(), 403);
    assert!(String::from_utf8_lossy(&seen.body).contains("pro"));
}
