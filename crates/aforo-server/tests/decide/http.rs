//! HTTP clients of the decision service.

use serde_json::{Value, json};

use crate::support::{Program, RawClient, RawResponse};

const FILE: &str = "[decide]\nhttp = \"127.0.0.1:0\"\n\
    [identity]\napi_key = { header = \"x-api-key\" }\n\
    [plans.anonymous]\npolicies = [\"2/hour fixed-window\"]\n\
    [plans.pro]\npolicies = [\"10/hour fixed-window\"]\n\
    [policies.mails]\nquota = \"3/hour fixed-window\"\n\
    [policies.files]\nquota = \"1/hour fixed-window\"\n";

pub(crate) fn http() -> Program {
    Program::with_file(FILE)
}

fn guarded() -> Program {
    let text = FILE.replace("0\"\n", "0\"\ntoken = { env = \"ASKING\" }\n");
    Program::with_variables(&text, &[("ASKING", "hunter2")])
}

pub(crate) fn post(client: &mut RawClient, target: &str, fields: &str, body: &str) -> RawResponse {
    let length = body.len();
    client.send(format!(
        "POST {target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n{fields}\r\n{body}"
    ));
    client.response()
}

fn asked(program: &Program, target: &str, body: &Value) -> Value {
    let response = post(
        &mut program.client_of("http"),
        target,
        "",
        &body.to_string(),
    );
    assert_eq!(
        response.status,
        200,
        "{}",
        String::from_utf8_lossy(&response.body)
    );
    response.json()
}

#[test]
fn a_policy_by_its_name_is_taken_until_it_is_empty() {
    let program = http();
    let mut client = program.client_of("http");
    let body = r#"{"policy":"mails","partition":"ana"}"#;
    for left in [2, 1, 0] {
        let response = post(&mut client, "/v1/decide", "", body);
        let told = response.json();
        assert_eq!(
            (&told["allowed"], &told["status"]),
            (&json!(true), &json!(200))
        );
        let policy = &told["policies"][0];
        assert_eq!(
            (&policy["limit"], &policy["remaining"]),
            (&json!(3), &json!(left))
        );
        let field = response.field("ratelimit").unwrap();
        assert!(
            field.starts_with(&format!("\"mails\";r={left};t=")),
            "{field}"
        );
        assert_eq!(told["headers"]["ratelimit"], field);
    }
    let response = post(&mut client, "/v1/decide", "", body);
    assert_eq!(response.status, 200);
    let told = response.json();
    assert_eq!(
        (&told["allowed"], &told["status"]),
        (&json!(false), &json!(429))
    );
    let wait = told["retry_after"].as_u64().unwrap();
    assert!((1..=3600).contains(&wait));
    assert_eq!(told["headers"]["retry-after"], wait.to_string());
    assert_eq!(told["headers"]["content-type"], "application/problem+json");
    let problem: Value = serde_json::from_str(told["body"].as_str().unwrap()).unwrap();
    assert_eq!(problem["status"], 429);
    assert_eq!(problem["decision_id"], told["decision_id"]);
}

#[test]
fn several_policies_are_taken_all_or_not_at_all() {
    let program = http();
    let both = json!({ "policies": [
        { "policy": "mails", "partition": "ana" },
        { "policy": "files", "partition": ["ana"] },
    ] });
    assert_eq!(asked(&program, "/v1/decide", &both)["allowed"], true);
    let denied = asked(&program, "/v1/decide", &both);
    assert_eq!(denied["allowed"], false);
    assert_eq!(denied["policies"][0]["remaining"], 2);
    assert_eq!(denied["policies"][0]["taken"], 0);
    let look = json!({ "policy": "mails", "partition": "ana", "cost": 2 });
    for _ in 0..3 {
        assert_eq!(asked(&program, "/v1/peek", &look)["allowed"], true);
    }
}

#[test]
fn a_request_by_its_facts_goes_the_way_of_plans() {
    let program = http();
    let ask = |facts: Value| {
        asked(
            &program,
            "/v1/decide",
            &json!({ "request": facts, "cost": 2 }),
        )
    };
    let stranger = json!({ "path": "/orders", "address": "192.0.2.7" });
    assert_eq!(ask(stranger.clone())["allowed"], true);
    let denied = ask(stranger);
    assert_eq!(
        (&denied["status"], &denied["plan"]),
        (&json!(429), &json!("anonymous"))
    );
    let acme = json!({ "path": "/orders", "consumer": { "id": "acme", "plan": "pro" } });
    let told = ask(acme);
    assert_eq!(
        (&told["consumer"], &told["plan"]),
        (&json!("acme"), &json!("pro"))
    );
    assert_eq!(told["policies"][0]["remaining"], 8);
    // Who counts by the address wants to know it.
    let nobody = r#"{"request":{"path":"/"}}"#;
    let response = post(&mut program.client_of("http"), "/v1/decide", "", nobody);
    assert_eq!(response.status, 400);
    assert!(
        response.json()["detail"]
            .as_str()
            .unwrap()
            .contains("expected `address`")
    );
}

#[test]
fn many_questions_are_answered_in_their_order() {
    let program = http();
    let one = json!({ "policy": "files", "partition": "a" });
    let told = asked(&program, "/v1/decide", &json!([one, one]));
    assert_eq!(
        (&told[0]["allowed"], &told[1]["allowed"]),
        (&json!(true), &json!(false))
    );
    let told = asked(&program, "/v1/decide", &json!({ "decisions": [one] }));
    assert_eq!(told["decisions"][0]["allowed"], false);
    // One that cannot be asked leaves all of them unasked.
    let mut client = program.client_of("http");
    let bad = r#"[{"policy":"mails","partition":"z"},{"policy":"males","partition":"z"}]"#;
    let response = post(&mut client, "/v1/decide", "", bad);
    assert_eq!(response.status, 400);
    let look = json!({ "policy": "mails", "partition": "z", "cost": 3 });
    assert_eq!(asked(&program, "/v1/peek", &look)["allowed"], true);
}

#[test]
fn a_receipt_gives_back_once_and_to_operators_only() {
    let program = guarded();
    let mut client = program.client_of("http");
    let token = "authorization: Bearer hunter2\r\n";
    let take = r#"{"policy":"files","partition":"a","receipt":true}"#;
    for wrong in [
        "",
        "authorization: Bearer hunter3\r\n",
        "authorization: Basic hunter2\r\n",
    ] {
        for target in ["/v1/decide", "/v1/peek", "/v1/refund"] {
            let response = post(&mut client, target, wrong, take);
            assert_eq!(response.status, 401, "{wrong:?}");
            assert_eq!(response.field("www-authenticate"), Some("Bearer"));
        }
    }
    let told = post(&mut client, "/v1/decide", token, take).json();
    let receipt = json!({ "receipt": told["receipt"] }).to_string();
    assert_eq!(
        post(&mut client, "/v1/decide", token, take).json()["allowed"],
        false
    );
    assert_eq!(post(&mut client, "/v1/refund", token, &receipt).status, 200);
    assert_eq!(post(&mut client, "/v1/refund", token, &receipt).status, 404);
    assert_eq!(
        post(&mut client, "/v1/decide", token, take).json()["allowed"],
        true
    );
    let open = http();
    let response = post(&mut open.client_of("http"), "/v1/refund", "", &receipt);
    assert_eq!(response.status, 403);
}

#[test]
fn a_web_page_does_not_get_here() {
    let program = http();
    let ask = |host: &str, fields: &str| {
        let mut client = program.client_of("http");
        let body = r#"{"policy":"mails"}"#;
        let length = body.len();
        client.send(format!(
            "POST /v1/decide HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n{fields}\r\n{body}"
        ));
        client.response().status
    };
    let json = "content-type: application/json\r\n";
    for host in ["localhost:8082", "127.0.0.1", "[::1]:8082"] {
        assert_eq!(ask(host, json), 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example:8082", ""] {
        assert_eq!(ask(host, json), 421, "{host}");
    }
    for media_type in [
        "",
        "content-type: text/plain\r\n",
        "content-type: application/x-www-form-urlencoded\r\n",
    ] {
        assert_eq!(ask("localhost", media_type), 415, "{media_type:?}");
    }
    let mut client = program.client_of("http");
    let preflight = client.ask("OPTIONS", "/v1/decide", "origin: https://evil.example\r\n");
    assert_eq!(preflight.status, 405);
    assert_eq!(preflight.field("access-control-allow-origin"), None);
}

#[test]
fn what_is_wrong_is_said() {
    let program = http();
    let mut client = program.client_of("http");
    for (body, said) in [
        ("", "EOF while parsing"),
        ("{", "EOF while parsing"),
        ("null", "invalid type: null"),
        (r#"{"policy":"mails","policy":"files"}"#, "duplicate field"),
        (r#"{"policy":"nobody"}"#, "there is no policy \"nobody\""),
        (r#"{"request":{"path":"x"}}"#, "`path` is not a path"),
    ] {
        let response = post(&mut client, "/v1/decide", "", body);
        assert_eq!(response.status, 400, "{body}");
        assert_eq!(
            response.field("content-type"),
            Some("application/problem+json")
        );
        let told = response.json();
        assert!(told["detail"].as_str().unwrap().contains(said), "{told}");
    }
    assert_eq!(client.get("/v1/decide").status, 405);
    assert_eq!(client.get("/nowhere").status, 404);
    assert_eq!(client.get("/healthz").body, b"ok\n");
}

#[test]
fn the_description_is_the_one_of_the_repository() {
    let program = http();
    let mut client = program.client_of("http");
    let response = client.ask("GET", "/openapi.json", "");
    assert_eq!(response.status, 421, "a page must not read it either");
    client.send("GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let told = client.response().json();
    let kept = include_str!("../../../../aforo.openapi.json");
    assert_eq!(told, serde_json::from_str::<Value>(kept).unwrap());
}

#[test]
fn a_validator_finds_the_description_valid() {
    let validator = aforo_servers::peers().join("bin/openapi-spec-validator");
    assert!(
        validator.exists(),
        "it is missing: run scripts/test install"
    );
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../aforo.openapi.json");
    let ran = std::process::Command::new(validator)
        .arg(kept)
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stdout)
    );
}
