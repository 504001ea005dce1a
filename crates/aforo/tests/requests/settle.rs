//! Costs that are known only when the response is there.

use crate::support::{bench, get};
use aforo::{Admission, SettledCost};
use http::{Request, Response};

const PEER: &str = "192.0.2.1";

/// Reserves ten of a hundred.
const RESERVING: &str = r#"
    [plans.anonymous]
    policies = ["100/hour fixed-window", "@requests"]
    [policies.requests]
    quota = "50/hour fixed-window"
    cost = 1
    [[routes]]
    match = "/query"
    cost = 10
"#;

fn costing(units: u64) -> impl FnOnce(&Request<()>) -> Response<()> {
    move |_| {
        let mut response = Response::new(());
        response.extensions_mut().insert(SettledCost(units));
        response
    }
}

async fn left(bench: &crate::support::Bench) -> (u64, u64) {
    let seen = bench.send_answered(PEER, get("/peek"), costing(0)).await;
    let fields = seen.field("ratelimit").unwrap().to_owned();
    let remaining = |name: &str| {
        let (_, rest) = fields.split_once(&format!("\"{name}\";r=")).unwrap();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().unwrap()
    };
    (remaining("anonymous-hour"), remaining("requests"))
}

#[tokio::test]
async fn a_response_corrects_what_its_request_cost() {
    let bench = bench(RESERVING);
    let plain = bench.send(PEER, get("/query")).await;
    assert!(
        plain
            .field("ratelimit")
            .unwrap()
            .contains("\"anonymous-hour\";r=90")
    );
    // Less than reserved: seven go back. What counts requests keeps its one.
    let cheap = bench.send_answered(PEER, get("/query"), costing(3)).await;
    assert!(
        cheap
            .field("ratelimit")
            .unwrap()
            .contains("\"anonymous-hour\";r=87")
    );
    assert_eq!(left(&bench).await, (87, 47));
    // More than reserved.
    let dear = bench.send_answered(PEER, get("/query"), costing(40)).await;
    assert!(
        dear.field("ratelimit")
            .unwrap()
            .contains("\"anonymous-hour\";r=47")
    );
    assert_eq!(left(&bench).await, (47, 45));
    // More than there is: up to the capacity, and not beyond.
    bench
        .send_answered(PEER, get("/query"), costing(1_000))
        .await;
    assert_eq!(bench.status(PEER, "/query").await, 429);
    assert_eq!(bench.at(3_600_000).status(PEER, "/query").await, 200);
}

#[tokio::test]
async fn a_gateway_says_the_cost_on_the_passage() {
    let bench = bench(RESERVING);
    let admission = bench
        .limiter
        .admit(get("/query"), "192.0.2.1:9".parse().ok())
        .await;
    let Admission::Pass(_, mut passage) = admission else {
        panic!("denied");
    };
    passage.set_cost(4);
    passage.forwarded();
    let (mut parts, ()) = Response::new(()).into_parts();
    passage.finish(&mut parts).await;
    assert_eq!(left(&bench).await, (96, 48));
}

#[tokio::test]
async fn what_was_never_forwarded_is_given_back() {
    let bench = bench(RESERVING);
    let admission = bench
        .limiter
        .admit(get("/query"), "192.0.2.1:9".parse().ok())
        .await;
    assert!(matches!(&admission, Admission::Pass(..)));
    drop(admission);
    assert_eq!(left(&bench).await, (100, 49));
}

#[tokio::test]
async fn successes_alone_count_when_the_file_says_so() {
    let text = r#"
        [plans.anonymous]
        policies = ["@uploads"]
        [policies.uploads]
        quota = "2/hour fixed-window"
        count = "successes"
    "#;
    let bench = bench(text);
    let answer =
        |status: u16| move |_: &Request<()>| Response::builder().status(status).body(()).unwrap();
    for status in [401, 500, 422, 503] {
        let seen = bench.send_answered(PEER, get("/"), answer(status)).await;
        assert_eq!((seen.code(), seen.remaining()), (status, Some(2)));
    }
    for status in [201, 404] {
        bench.send_answered(PEER, get("/"), answer(status)).await;
    }
    assert_eq!(bench.status(PEER, "/").await, 429);
}

#[tokio::test]
async fn listed_statuses_count() {
    let text = r#"
        [plans.anonymous]
        policies = ["@misses"]
        [policies.misses]
        quota = "2/hour fixed-window"
        count = [404, 410]
    "#;
    let bench = bench(text);
    let answer =
        |status: u16| move |_: &Request<()>| Response::builder().status(status).body(()).unwrap();
    for (status, remaining) in [(200, 2), (404, 1), (400, 1), (410, 0)] {
        let seen = bench.send_answered(PEER, get("/"), answer(status)).await;
        assert_eq!(seen.remaining(), Some(remaining), "{status}");
    }
    assert_eq!(bench.status(PEER, "/").await, 429);
}
