//! The example with the real Envoy.

use std::thread;
use std::time::Duration;

use aforo_servers::{Envoy, free_port, until};

use crate::support::{Program, RawClient, RawResponse, Upstream};

fn file(name: &str) -> String {
    let path = format!("{}/../../examples/envoy/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// The text with one thing changed.
fn with(text: &str, written: &str, other: &str) -> String {
    assert_eq!(text.matches(written).count(), 1, "{written}");
    text.replace(written, other)
}

struct Scene {
    program: Program,
    upstream: Upstream,
    envoy: Envoy,
}

/// The files of the example on free ports.
fn scene(failure_mode_deny: bool) -> Scene {
    let program = Program::with_file(&with(&file("aforo.toml"), ":8081\"", ":0\""));
    let upstream = Upstream::new();
    let port = free_port();
    let deny = format!("failure_mode_deny: {failure_mode_deny}");
    let text = with(&file("envoy.yaml"), "8080", &port.to_string());
    let text = with(&text, "3000", &upstream.address().port().to_string());
    let text = with(&text, "8081", &program.service("grpc").port().to_string());
    let text = with(&text, "failure_mode_deny: false", &deny);
    let envoy = Envoy::start(&text, port);
    Scene {
        program,
        upstream,
        envoy,
    }
}

fn get(envoy: &Envoy, path: &str) -> RawResponse {
    RawClient::connect(envoy.address()).get(path)
}

#[test]
fn the_first_pass_the_next_waits_and_is_let_pass() {
    let Scene {
        program: _program,
        upstream,
        envoy,
    } = scene(false);
    for left in 0..3 {
        let response = get(&envoy, "/");
        assert_eq!(response.status, 200);
        let policy = "\"address\";q=60;w=60;aforo-burst=3";
        assert_eq!(response.field("ratelimit-policy"), Some(policy));
        // A request may come so late that a unit is back.
        let rest: u32 = response
            .field("x-ratelimit-remaining")
            .unwrap()
            .parse()
            .unwrap();
        assert!((2 - left..=2).contains(&rest), "{rest}");
    }
    let denied = (0..20)
        .map(|_| get(&envoy, "/"))
        .find(|response| response.status != 200)
        .unwrap();
    assert_eq!(denied.status, 429);
    assert_eq!(denied.field("retry-after"), Some("1"));
    assert_eq!(denied.field("ratelimit"), Some("\"address\";r=0;t=1"));
    assert_eq!(
        denied.field("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(denied.json()["status"], 429);
    let before = upstream.seen().len();
    thread::sleep(Duration::from_secs(1));
    assert_eq!(get(&envoy, "/").status, 200);
    assert_eq!(upstream.seen().len(), before + 1);
}

#[test]
fn two_descriptors_of_one_request() {
    let Scene {
        program: _program,
        upstream: _upstream,
        envoy,
    } = scene(false);
    let response = get(&envoy, "/login");
    assert_eq!(response.status, 200);
    let policies = response.field("ratelimit-policy").unwrap();
    assert!(
        policies.contains("\"address\"") && policies.contains("\"logins\""),
        "{policies}"
    );
}

#[test]
fn without_aforo_envoy_does_what_it_was_told() {
    for (deny, status) in [(false, 200), (true, 500)] {
        let Scene {
            program,
            upstream: _upstream,
            envoy,
        } = scene(deny);
        assert_eq!(get(&envoy, "/").status, 200);
        drop(program);
        until("Envoy to notice", || get(&envoy, "/").status == status);
        assert_eq!(get(&envoy, "/").status, status);
    }
}
