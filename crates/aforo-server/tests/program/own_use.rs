//! What a caller sees of its own policies, and what its upstream is told of it.

use serde_json::{Value, json};

use crate::support::{Program, Upstream};

/// `test` is acme's API key.
const CALLERS: &str = r#"
[plans.anonymous]
policies = ["10/hour fixed-window"]

[plans.pro]
policies = ["100/minute burst 20", "1000/hour fixed-window", { name = "secret", quota = "5/hour", disclose = "retry" }]

[teams.blue]
policies = ["500/hour fixed-window"]

[[groups]]
match = "/v1/{*rest}"
policies = ["70/hour fixed-window", { name = "by-account", quota = "5/hour", partition_by = ["header:x-account"] }]

[[routes]]
match = "POST /orders"
policies = ["7/hour fixed-window"]

[[routes]]
match = "/reports"
plans = ["enterprise"]
policies = ["3/hour"]

[[consumers]]
id = "acme"
plan = "pro"
team = "blue"
org = "acme group"
api_key_sha256 = ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]

[plans.enterprise]
policies = ["9/hour"]
"#;

const ACME: &str = "x-api-key: test\r\n";

fn gateway() -> Program {
    Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"builtin:echo\"]\n\
         limits_path = \"/limits\"\n{CALLERS}"
    ))
}

/// Name, scope, route, quota, capacity, remaining, used of each policy.
fn policies(answer: &Value) -> Vec<Value> {
    let policies = answer["policies"].as_array().unwrap();
    let told = |policy: &Value| {
        json!([
            policy["policy"],
            policy["scope"],
            policy["route"],
            policy["quota"],
            policy["capacity"],
            policy["remaining"],
            policy["used"]
        ])
    };
    policies.iter().map(told).collect()
}

#[test]
fn a_caller_sees_its_policies_and_takes_nothing() {
    let program = gateway();
    let mut client = program.client();
    assert_eq!(client.ask("POST", "/orders", ACME).status, 200);
    assert_eq!(client.ask("GET", "/v1/items", ACME).status, 200);
    for _ in 0..3 {
        let answer = client.ask("GET", "/limits", ACME);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.field("content-type"), Some("application/json"));
        assert_eq!(answer.field("cache-control"), Some("no-store"));
        let answer = answer.json();
        assert_eq!(answer["consumer"], "acme");
        assert_eq!(answer["plan"], "pro");
        assert_eq!(answer["team"], "blue");
        assert_eq!(answer["org"], "acme group");
        assert_eq!(answer["credential"], "verified");
        let all = policies(&answer);
        let bucket = all[0].as_array().unwrap();
        // The bucket fills up while the test runs.
        assert_eq!(
            bucket[..5],
            [
                json!("pro-minute"),
                json!("plan"),
                json!(null),
                json!(100),
                json!(20)
            ]
        );
        let remaining = bucket[5].as_u64().unwrap();
        assert!((18..=20).contains(&remaining), "{remaining}");
        assert_eq!(
            all[1..],
            [
                json!(["pro-hour", "plan", null, 1000, 1000, 998, 2]),
                json!(["team-blue-hour", "team", null, 500, 500, 498, 2]),
                json!(["group-v1-rest-hour", "group", null, 70, 70, 69, 1]),
                json!(["post-orders-hour", "route", "POST /orders", 7, 7, 6, 1]),
            ]
        );
        let reset = answer["policies"][1]["reset"].as_u64().unwrap();
        assert_eq!(reset % 3600, 0, "an hour's edge");
        assert_eq!(answer["policies"][1]["window"], 3600);
    }
}

#[test]
fn a_stranger_sees_what_is_left_of_its_address() {
    let program = gateway();
    let mut client = program.client();
    for _ in 0..12 {
        client.get("/anything");
    }
    assert_eq!(client.get("/anything").status, 429);
    let answer = client.get("/limits").json();
    assert_eq!(answer["consumer"], json!(null));
    assert_eq!(answer["plan"], "anonymous");
    assert_eq!(answer["credential"], "absent");
    assert_eq!(
        policies(&answer)[0],
        json!(["anonymous-hour", "plan", null, 10, 10, 0, 10])
    );
    let mistyped = client.ask("GET", "/limits", "x-api-key: tset\r\n");
    assert_eq!(mistyped.json()["credential"], "unrecognised");
}

#[test]
fn only_this_path_and_only_reading_it_is_the_gateways() {
    let program = gateway();
    let mut client = program.client();
    assert_eq!(
        client.get("//x/../%6cimits?a=1").json()["plan"],
        "anonymous"
    );
    assert!(client.ask("HEAD", "/limits", "").body.is_empty());
    for (method, path) in [
        ("POST", "/limits"),
        ("GET", "/limits/x"),
        ("GET", "/Limits"),
    ] {
        let answer = client.ask(method, path, "");
        assert!(
            answer.field("ratelimit").is_some(),
            "{method} {path} is counted"
        );
    }
    assert_eq!(client.get("/limits").json()["policies"][0]["remaining"], 7);
}

#[test]
fn an_upstream_is_told_who_the_caller_is_whatever_the_caller_says() {
    let upstream = Upstream::new();
    let program = Program::with_file(&format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\nupstream = [\"http://{}\"]\n\
         consumer_headers = true\n{CALLERS}",
        upstream.address()
    ));
    let forged = "x-consumer-id: globex\r\nX_Consumer_Org: globex\r\nx-consumer-team: red\r\n";
    let mut client = program.client();
    client.ask("GET", "/", &format!("{forged}{ACME}"));
    client.ask("GET", "/", forged);
    let told: Vec<Vec<String>> = upstream
        .seen()
        .iter()
        .map(|seen| {
            let told = seen.headers.iter();
            let told = told.filter(|(name, _)| name.as_str().contains("consumer"));
            let mut told: Vec<String> = told
                .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
                .collect();
            told.sort();
            told
        })
        .collect();
    assert_eq!(
        told,
        [
            vec![
                "x-consumer-id: acme",
                "x-consumer-org: acme%20group",
                "x-consumer-plan: pro",
                "x-consumer-team: blue"
            ],
            vec!["x-consumer-plan: anonymous"]
        ]
    );
}
