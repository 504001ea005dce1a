//! Costs that are read from the request or told by the response.

use crate::support::{Bench, bench, get, post_json};
use http::{Request, Response};

const PEER: &str = "192.0.2.1";

/// A hundred units an hour; a bulk of orders, a report whose cost the application knows.
const PRICED: &str = r#"
    [plans.anonymous]
    policies = ["100/hour fixed-window", "@requests"]
    [policies.requests]
    quota = "50/hour fixed-window"
    cost = 1
    [[routes]]
    match = "POST /orders/bulk"
    cost_from = { body_items = "/orders" }
    [[routes]]
    match = "/reports"
    cost_from = { header = "x-request-cost", estimate = 10 }
"#;

fn orders(count: usize) -> Request<http_body_util::Full<bytes::Bytes>> {
    let orders: Vec<_> = (0..count)
        .map(|id| serde_json::json!({ "id": id }))
        .collect();
    let body = serde_json::json!({ "orders": orders });
    post_json("/orders/bulk", body.to_string())
}

fn told(cost: &'static str) -> impl FnOnce(&Request<()>) -> Response<()> {
    move |_| {
        let response = Response::builder().header("x-request-cost", cost);
        response.body(()).unwrap()
    }
}

/// The units and the requests that are left.
async fn left(bench: &Bench) -> (u64, u64) {
    let seen = bench.send(PEER, get("/")).await;
    let fields = seen.field("ratelimit").unwrap().to_owned();
    let remaining = |name: &str| {
        let (_, rest) = fields.split_once(&format!("\"{name}\";r=")).unwrap();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().unwrap() + 1
    };
    (remaining("anonymous-hour"), remaining("requests"))
}

#[tokio::test]
async fn a_bulk_of_orders_costs_its_items() {
    let bench = bench(PRICED);
    let sent = orders(30);
    let seen = bench.send(PEER, sent).await;
    assert_eq!(seen.code(), 200);
    // The application gets every byte.
    let items: serde_json::Value = serde_json::from_slice(&seen.received.unwrap()).unwrap();
    assert_eq!(items["orders"].as_array().unwrap().len(), 30);
    assert_eq!(left(&bench).await, (70, 49));
    // 69 are left: 70 do not fit and take nothing, 101 never fit.
    let denied = bench.send(PEER, orders(70)).await;
    assert_eq!((denied.code(), denied.retry_after()), (429, Some(3_600)));
    assert_eq!(bench.send(PEER, orders(101)).await.code(), 422);
    assert_eq!(bench.send(PEER, orders(69)).await.code(), 200);
    assert_eq!(bench.status(PEER, "/").await, 429);
}

#[tokio::test]
async fn a_bulk_that_cannot_be_counted_takes_nothing() {
    let bench = bench(PRICED);
    let status = async |body: &'static str| {
        let request = post_json("/orders/bulk", body);
        bench.send(PEER, request).await.code()
    };
    assert_eq!(status(r#"{"orders":[1],"orders":[1,2,3]}"#).await, 400);
    assert_eq!(status(r#"{"orders":{"0":1}}"#).await, 415);
    assert_eq!(status("{").await, 415);
    let large = format!(r#"{{"orders":["{}"]}}"#, "x".repeat(70_000));
    let large = bench.send(PEER, post_json("/orders/bulk", large)).await;
    assert_eq!(large.code(), 413);
    assert_eq!(left(&bench).await, (100, 50));
    assert_eq!(status("{}").await, 200);
    assert_eq!(left(&bench).await, (98, 48));
}

#[tokio::test]
async fn the_response_settles_what_was_estimated() {
    let bench = bench(PRICED);
    let report = async |cost| {
        let seen = bench.send_answered(PEER, get("/reports"), told(cost)).await;
        // The caller is told, too.
        assert_eq!(seen.field("x-request-cost"), Some(cost));
        let fields = seen.field("ratelimit").unwrap().to_owned();
        let (_, rest) = fields.split_once("\"anonymous-hour\";r=").unwrap();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().unwrap()
    };
    assert_eq!(report("3").await, 97);
    assert_eq!(report("0").await, 97);
    assert_eq!(report("25").await, 72);
    // What is no whole number keeps the estimate.
    assert_eq!(report("1.5").await, 62);
    assert_eq!(report("-4").await, 52);
    let plain = bench.send(PEER, get("/reports")).await;
    assert_eq!(plain.code(), 200);
    assert_eq!(left(&bench).await, (42, 44));
    // More than there is takes all, and not more.
    assert_eq!(report("1000000").await, 0);
    assert_eq!(bench.status(PEER, "/reports").await, 429);
    assert_eq!(bench.at(3_600_000).status(PEER, "/reports").await, 200);
}

#[tokio::test]
async fn an_estimate_is_reserved_while_requests_run() {
    let bench = bench(PRICED);
    let peer = "192.0.2.1:9".parse().ok();
    let mut running = Vec::new();
    for _ in 0..10 {
        match bench.limiter.admit(get("/reports"), peer).await {
            aforo::Admission::Pass(_, mut passage) => {
                passage.forwarded();
                running.push(passage);
            }
            aforo::Admission::Answer(answer) => panic!("{}", answer.status()),
        }
    }
    assert_eq!(bench.status(PEER, "/reports").await, 429);
    for passage in running {
        let response = told("1")(&Request::new(()));
        let (mut parts, ()) = response.into_parts();
        passage.finish(&mut parts).await;
    }
    assert_eq!(left(&bench).await, (90, 40));
}
