//! One account, or one operation, in many bodies.

use serde_json::{Value, json};

use crate::support::RawClient;
use crate::{FIVE, admitted, gateway};

/// Five requests a day for an account.
const ACCOUNT: &str = r#"
[[routes]]
match = "POST /login"
policies = [{ name = "account", quota = "5/day fixed-window", partition_by = ["body:/email | form:email"], normalize = ["trim", "lowercase", "nfc"], when_missing = "deny" }]

[[consumers]]
id = "many"
plan = "many"
api_key_sha256 = ["3fc9b689459d738f8c88a3a48aa9e33542016b7a4052e001aaa536fca74813cb"]

[plans.many]
policies = ["1000/day fixed-window"]
"#;

fn post(target: &str, media: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {target} HTTP/1.1\r\nhost: a\r\nx-api-key: something\r\n{fields}\
         content-type: {media}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// The statuses of many bodies.
fn statuses(client: &mut RawClient, requests: impl IntoIterator<Item = Vec<u8>>) -> Vec<u16> {
    let status = |request| client.send(request).response_to("POST").status;
    requests.into_iter().map(status).collect()
}

#[test]
fn an_account_in_other_spellings_is_one_account() {
    let program = gateway("", ACCOUNT);
    let json = [
        r#"{"email":"zoë@example.org"}"#,
        r#"{"email":"ZOË@EXAMPLE.ORG"}"#,
        r#"{"email":"  zoë@example.org\t"}"#,
        r#"{"email":"zoe\u0308@example.org"}"#,
        r#"{"email":"zo\u00eb\u0040example.org","x":1}"#,
        r#"{"x":{"email":"other"},"email":"Zoë@example.org"}"#,
        r#" { "\u0065mail" : "zoë@example.org" } "#,
    ];
    let forms = [
        "email=zo%C3%AB%40example.org",
        "x=1&email=ZO%c3%8b@example.org",
        "email=+zoe%CC%88@example.org+&y",
        "%65mail=zo%C3%AB@example.org",
    ];
    let json = json.map(|body| post("/login", "application/json", "", body.as_bytes()));
    let json_again = json.clone();
    let forms = forms.map(|body| {
        let media = "application/x-www-form-urlencoded; charset=utf-8";
        post("/login", media, "", body.as_bytes())
    });
    let all = json.into_iter().chain(forms).chain(json_again);
    let statuses = statuses(&mut program.client(), all);
    assert_eq!(statuses[..FIVE], [200; FIVE]);
    assert_eq!(statuses[FIVE..], [429; 13]);
}

#[test]
fn what_another_reader_may_read_otherwise_is_not_let_through() {
    let program = gateway("", ACCOUNT);
    let utf16: Vec<u8> =
        r#"{"email":"a@example.org"}"#.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let plain = br#"{"email":"a@example.org"}"#;
    let refused = [
        post(
            "/login",
            "application/json",
            "",
            br#"{"email":"a","email":"b"}"#,
        ),
        post(
            "/login",
            "application/x-www-form-urlencoded",
            "",
            b"email=a&email=b",
        ),
        post("/login", "application/json", "", br#"{"email":["a"]}"#),
        post("/login", "application/json", "", br#"{"email":"#),
        post("/login", "application/json", "", &utf16),
        post("/login", "application/json", "", b"\xff\xfe{}"),
        post("/login", "text/plain", "", plain),
        post("/login", "multipart/form-data; boundary=x", "", plain),
        post(
            "/login",
            "application/json",
            "content-encoding: gzip\r\n",
            plain,
        ),
        post(
            "/login",
            "application/json",
            "content-encoding: br\r\n",
            plain,
        ),
        post("/login", "application/json", "", br#"{"mail":"a"}"#),
        post("/login?email=a", "application/json", "", b"{}"),
    ];
    for (number, request) in refused.into_iter().enumerate() {
        let status = program.client().send(request).response_to("POST").status;
        assert!(matches!(status, 400 | 415), "{status} to body {number}");
    }
    let one = || post("/login", "application/json", "", plain);
    let after = statuses(&mut program.client(), (0..10).map(|_| one()));
    assert_eq!(after[..FIVE], [200; FIVE], "what was refused took nothing");
    assert_eq!(after[FIVE..], [429; FIVE]);
}

#[test]
fn operations_count_however_they_are_put_together() {
    let route = r#"
[[routes]]
match = "/graphql"
cost_from = { graphql = true }
policies = [{ name = "points", quota = "20/day fixed-window" }]
[plans.many]
policies = ["1000000/day fixed-window"]
[[consumers]]
id = "many"
plan = "many"
api_key_sha256 = ["3fc9b689459d738f8c88a3a48aa9e33542016b7a4052e001aaa536fca74813cb"]
"#;
    let one = json!({ "query": "{ hero }" });
    let spread = json!({ "query": "query { ...f } fragment f on Query { hero }" });
    let batch = |length: usize| Value::Array(vec![one.clone(); length]);
    let aliases = json!({ "query": "{ a: hero b: hero c: hero }" });
    for (body, operations) in [
        (one.clone(), 1),
        (spread, 1),
        (batch(2), 2),
        (batch(4), 4),
        (aliases, 3),
    ] {
        let program = gateway("", route);
        let mut client = program.client();
        let body = body.to_string();
        let requests = (0..20).map(|_| {
            let request = post("/graphql", "application/json", "", body.as_bytes());
            String::from_utf8(request).unwrap()
        });
        let heroes = operations * admitted(&mut client, requests);
        assert!(
            (5..=20).contains(&heroes),
            "{heroes} heroes for 20 points by {body}"
        );
    }
}
