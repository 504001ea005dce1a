//! Consumers that an HTTP endpoint knows.

use std::path::PathBuf;

use serde_json::json;

use crate::endpoint::Endpoint;
use crate::support::{START, bench, get, with};

const PEER: &str = "192.0.2.1";

const PLANS: &str = r#"
    [plans.anonymous]
    policies = ["1000/minute fixed-window"]
    [plans.pro]
    policies = ["3/minute fixed-window"]
    [plans.free]
    policies = ["2/minute fixed-window"]
"#;

/// A file with the token that the endpoint is asked with.
fn token_file(text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("aforo-endpoint-{}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

#[tokio::test]
async fn an_endpoint_says_whose_a_key_is() {
    let answer = json!({"consumer": "acme", "plan": "pro", "overrides": [
        {"policy": "pro-minute", "quota": "8/minute fixed-window", "until": START + 60},
    ], "unknown": [1]});
    let endpoint = Endpoint::start(200, answer.to_string()).await;
    let token = token_file("endpoint-token\n");
    let bench = bench(&format!(
        "{PLANS}\n[identity]\nlookup = {{ url = {:?}, token = {{ file = {token:?} }} }}\n",
        endpoint.url
    ));
    let send = async |key: &str| bench.send(PEER, with(get("/"), "x-api-key", key)).await;
    for _ in 0..3 {
        assert_eq!(send("a-key").await.field("x-ratelimit-limit"), Some("8"));
    }
    let requests = endpoint.requests();
    assert_eq!(requests.len(), 1);
    assert!(
        requests[0].starts_with("POST /ask?me=1 HTTP/1.1\r\n"),
        "{}",
        requests[0]
    );
    assert!(
        requests[0]
            .to_lowercase()
            .contains("authorization: bearer endpoint-token\r\n")
    );
    assert!(
        requests[0].ends_with("\r\n\r\n{\"api_key\":\"a-key\"}"),
        "{}",
        requests[0]
    );

    endpoint.answers(404, "");
    assert_eq!(
        send("no-key").await.field("x-ratelimit-limit"),
        Some("1000")
    );
    let failures = [(500, ""), (401, ""), (200, "{}"), (200, "not JSON")];
    for (number, (status, body)) in failures.into_iter().enumerate() {
        endpoint.answers(status, body);
        let request = with(get("/"), "x-api-key", &format!("failing-{number}"));
        let seen = bench.send("192.0.2.9", request).await;
        assert_eq!(seen.code(), 200);
    }
    assert_eq!(endpoint.requests().len(), 6);
    assert_eq!(endpoint.connections(), 1, "connections are kept open");
}

#[tokio::test]
async fn an_endpoint_is_asked_for_the_plan_of_an_id() {
    let endpoint = Endpoint::start(200, json!({"consumer": "acme", "plan": "pro"}).to_string());
    let endpoint = endpoint.await;
    let bench = bench(&format!(
        "{PLANS}\n[identity]\ndefault_plan = \"free\"\ntrusted_proxies = [\"192.0.2.1\"]\n\
         verified_header = \"x-consumer\"\nlookup = {{ url = {:?} }}\n",
        endpoint.url
    ));
    let send = async |id: &str| {
        let request = with(get("/"), "x-consumer", id);
        bench.send("192.0.2.1", request).await
    };
    for _ in 0..2 {
        assert_eq!(send("acme").await.field("x-ratelimit-limit"), Some("3"));
    }
    let requests = endpoint.requests();
    assert_eq!(requests.len(), 1);
    assert!(
        requests[0].ends_with("\r\n\r\n{\"consumer\":\"acme\"}"),
        "{}",
        requests[0]
    );
    // One that does not understand ids leaves them their default plan, and API keys theirs.
    endpoint.answers(400, "");
    for number in 0..8 {
        let seen = send(&format!("id-{number}")).await;
        assert_eq!(seen.field("x-ratelimit-limit"), Some("2"));
    }
    endpoint.answers(
        200,
        json!({"consumer": "globex", "plan": "pro"}).to_string(),
    );
    let keyed = bench
        .send("192.0.2.7", with(get("/"), "x-api-key", "a-key"))
        .await;
    assert_eq!(keyed.field("x-ratelimit-limit"), Some("3"));
}
