//! GraphQL requests through the running gateway.

use http::Response;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use crate::support::{Program, RawClient, RawResponse, Upstream};

/// A GraphQL server that answers everything.
fn server() -> Upstream {
    Upstream::answering(|_| {
        let response = Response::builder().header("content-type", "application/json");
        response.body(Full::from(r#"{"data":{}}"#).boxed()).unwrap()
    })
}

/// A gateway with 10 points a minute.
fn gateway(upstream: &Upstream, settings: &str) -> Program {
    let address = upstream.address();
    Program::with_file(&format!(
        r#"
        [gateway]
        listen = "127.0.0.1:0"
        upstream = ["http://{address}"]
        [plans.anonymous]
        policies = ["1000/minute fixed-window"]
        [[routes]]
        match = "/graphql"
        cost_from = {{ graphql = true }}
        {settings}
        "#
    ))
}

const TEN: &str = r#"policies = [{ name = "points", quota = "10/minute fixed-window" }]"#;

fn post(client: &mut RawClient, body: &str) -> RawResponse {
    post_as(client, "/graphql", "application/json", body)
}

fn post_as(client: &mut RawClient, target: &str, kind: &str, body: &str) -> RawResponse {
    let length = body.len();
    client.send(format!(
        "POST {target} HTTP/1.1\r\nhost: a\r\ncontent-type: {kind}\r\n\
         content-length: {length}\r\n\r\n{body}"
    ));
    client.response()
}

fn query(text: &str) -> String {
    json!({ "query": text }).to_string()
}

/// How many points a response says are left.
fn left(response: &RawResponse) -> u64 {
    let fields = response.field("ratelimit").unwrap();
    let (_, rest) = fields.split_once("\"points\";r=").unwrap();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

fn error(response: &RawResponse) -> Value {
    response.json()["errors"][0].clone()
}

#[test]
fn rl_52_aliases_and_batches_count_each_operation() {
    let upstream = server();
    let program = gateway(&upstream, TEN);
    let mut client = program.client();
    // A: twenty aliases of one field.
    let heroes: String = (1..=20).map(|n| format!("a{n}:hero{{n}} ")).collect();
    let refused = post(&mut client, &query(&format!("{{{heroes}}}")));
    assert_eq!(refused.status, 422);
    let error_a = error(&refused);
    assert_eq!(error_a["extensions"]["code"], "MAX_COST_EXCEEDED");
    let asked = error_a["extensions"]["cost"]["requestedQueryCost"].as_u64();
    assert_eq!(asked, Some(21), "twenty heroes and the query itself");
    // B: a batch of twenty operations.
    let batch: Vec<Value> = (0..20).map(|_| json!({ "query": "{ hero }" })).collect();
    let refused = post(&mut client, &json!(batch).to_string());
    assert_eq!(refused.status, 422);
    let asked = error(&refused)["extensions"]["cost"]["requestedQueryCost"].as_u64();
    assert_eq!(asked, Some(20));
    assert!(upstream.seen().is_empty(), "nothing was executed");
    // Nothing was taken: all ten are there for those who ask for ten.
    let passed = post(&mut client, &query("{ hero(first: 9) { n } }"));
    assert_eq!((passed.status, left(&passed)), (200, 0));
    assert_eq!(upstream.seen().len(), 1);
}

#[test]
fn rl_52_two_aliases_of_a_field_that_may_be_asked_for_once() {
    let upstream = server();
    let once = r#"policies = ["1/second fixed-window"]
        [graphql]
        max_depth = 4"#;
    let program = gateway(&upstream, once);
    let mut client = program.client();
    let twice = "mutation { a: login(pin: 1) b: login(pin: 2) }";
    assert_eq!(post(&mut client, &query(twice)).status, 422);
    let spread = "mutation { ...L ...M } fragment L on M { a: login(pin: 1) } \
                  fragment M on M { ... { b: login(pin: 2) } }";
    assert_eq!(post(&mut client, &query(spread)).status, 422);
    assert!(upstream.seen().is_empty());
    assert_eq!(
        post(&mut client, &query("mutation { login(pin: 1) }")).status,
        200
    );
}

#[test]
fn what_is_left_is_taken_and_a_denial_says_the_cost() {
    let upstream = server();
    let program = gateway(&upstream, TEN);
    let mut client = program.client();
    let passed = post(&mut client, &query("{ users(first: 5) { name } }"));
    assert_eq!((passed.status, left(&passed)), (200, 4));
    let variables = json!({ "query": "query($n: Int) { users(first: $n) { name } }",
                            "variables": { "n": 5 } });
    let denied = post(&mut client, &variables.to_string());
    assert_eq!(denied.status, 429);
    assert!(denied.field("retry-after").is_some());
    let extensions = &error(&denied)["extensions"];
    assert_eq!(extensions["code"], "THROTTLED");
    assert_eq!(
        extensions["cost"],
        json!({
            "requestedQueryCost": 6,
            "actualQueryCost": null,
            "throttleStatus": { "maximumAvailable": 10, "currentlyAvailable": 4 },
        })
    );
    let got = client.ask("GET", "/graphql?query=%7Busers(first:2)%7Bname%7D%7D", "");
    assert_eq!((got.status, left(&got)), (200, 1));
    let text = post_as(
        &mut client,
        "/graphql",
        "application/graphql",
        "{ version }",
    );
    assert_eq!((text.status, left(&text)), (200, 0));
    let seen = upstream.seen();
    assert_eq!(seen.len(), 3);
    assert_eq!(
        seen[0].body,
        query("{ users(first: 5) { name } }"),
        "byte for byte"
    );
}

#[test]
fn what_is_not_to_be_executed_takes_nothing() {
    let upstream = server();
    let settings = format!(
        "{TEN}
        [graphql]
        max_depth = 3
        max_cost = 8
        introspection = \"deny\"
        weights = {{ \"Mutation.login\" = 5 }}"
    );
    let program = gateway(&upstream, &settings);
    let mut client = program.client();
    let url = "/graphql?query=%7Ba%7D";
    for (target, kind, body, status, code) in [
        (
            "/graphql",
            "application/json",
            query("{a{b{c{d}}}}"),
            422,
            "MAX_DEPTH_EXCEEDED",
        ),
        (
            "/graphql",
            "application/json",
            query("{a(first:8){b}}"),
            422,
            "MAX_COST_EXCEEDED",
        ),
        (
            "/graphql",
            "application/json",
            query("mutation{a:login b:login}"),
            422,
            "MAX_COST_EXCEEDED",
        ),
        (
            "/graphql",
            "application/json",
            query("{a"),
            400,
            "GRAPHQL_PARSE_FAILED",
        ),
        (
            "/graphql",
            "application/json",
            query("{...F} fragment F on Q{...F}"),
            400,
            "GRAPHQL_VALIDATION_FAILED",
        ),
        (
            "/graphql",
            "application/json",
            query("{__schema{types{name}}}"),
            403,
            "INTROSPECTION_REFUSED",
        ),
        (
            "/graphql",
            "application/json",
            r#"{"query":"{a}","query":"{b}"}"#.to_owned(),
            400,
            "BAD_REQUEST",
        ),
        (
            "/graphql",
            "application/json",
            r#"{"query":"{a}","Query":"{b}"}"#.to_owned(),
            400,
            "BAD_REQUEST",
        ),
        (url, "application/json", query("{a}"), 400, "BAD_REQUEST"),
        (
            "/graphql",
            "multipart/form-data; boundary=x",
            query("{a}"),
            415,
            "BAD_REQUEST",
        ),
        ("/graphql", "text/plain", query("{a}"), 415, "BAD_REQUEST"),
    ] {
        let refused = post_as(&mut client, target, kind, &body);
        assert_eq!(refused.status, status, "{body}");
        assert_eq!(error(&refused)["extensions"]["code"], code, "{body}");
    }
    assert!(upstream.seen().is_empty());
    let passed = post(&mut client, &query("{ a }"));
    assert_eq!((passed.status, left(&passed)), (200, 9));
}

#[test]
fn a_server_that_says_the_true_cost_in_a_header_settles_it() {
    let upstream = Upstream::answering(|_| {
        let response = Response::builder().header("x-request-cost", "2");
        response.body(Full::from("{}").boxed()).unwrap()
    });
    let address = upstream.address();
    let program = Program::with_file(&format!(
        r#"
        [gateway]
        listen = "127.0.0.1:0"
        upstream = ["http://{address}"]
        [plans.anonymous]
        policies = [{{ name = "points", quota = "10/minute fixed-window" }}]
        [[routes]]
        match = "/graphql"
        cost_from = {{ graphql = true, header = "x-request-cost" }}
        "#
    ));
    let mut client = program.client();
    let passed = post(&mut client, &query("{ users(first: 8) { name } }"));
    assert_eq!((passed.status, left(&passed)), (200, 8));
}
