//! `/forward-auth`, as gateways ask it.

use crate::support::Program;

fn trusting(networks: &str) -> Program {
    Program::with_file(&format!(
        "[decide]\nhttp = \"127.0.0.1:0\"\n[identity]\ntrusted_proxies = {networks}\n\
         [plans.anonymous]\npolicies = [\"1/hour fixed-window\"]\n\
         [[routes]]\nmatch = \"GET /free\"\nexempt = true\n\
         [[routes]]\nmatch = \"/pro\"\nplans = [\"pro\"]\n[plans.pro]\npolicies = [\"9/hour\"]\n"
    ))
}

const ASKING: &str = "x-forwarded-method: POST\r\nx-forwarded-uri: /orders?a=b\r\n\
    x-forwarded-host: api.example\r\n";

fn from(address: &str) -> String {
    format!("{ASKING}x-forwarded-for: {address}\r\n")
}

#[test]
fn a_gateway_is_answered_what_its_client_is_to_get() {
    let program = trusting("[\"loopback\"]");
    let mut gateway = program.client_of("http");
    let passed = gateway.ask("GET", "/forward-auth", &from("192.0.2.7"));
    assert_eq!((passed.status, &passed.body[..]), (200, &b""[..]));
    assert_eq!(passed.field("x-ratelimit-remaining"), Some("0"));
    let denied = gateway.ask("GET", "/forward-auth", &from("192.0.2.7"));
    assert_eq!(denied.status, 429);
    assert!(denied.field("retry-after").is_some());
    assert_eq!(denied.json()["status"], 429);
    // Another client behind the same gateway.
    assert_eq!(
        gateway
            .ask("GET", "/forward-auth", &from("192.0.2.8"))
            .status,
        200
    );
}

#[test]
fn a_gateway_that_knows_only_403_is_told_what_it_means() {
    let program = trusting("[\"loopback\"]");
    let mut gateway = program.client_of("http");
    let target = "/forward-auth?deny=403";
    assert_eq!(gateway.ask("GET", target, &from("192.0.2.7")).status, 200);
    let denied = gateway.ask("GET", target, &from("192.0.2.7"));
    assert_eq!(denied.status, 403);
    assert_eq!(denied.field("x-aforo-status"), Some("429"));
    let body = denied.field("x-aforo-body").unwrap();
    assert_eq!(body.as_bytes(), denied.body);
    assert!(denied.field("retry-after").is_some());
    let pro = from("192.0.2.9").replace("/orders?a=b", "/pro");
    assert_eq!(
        gateway.ask("GET", target, &pro).field("x-aforo-status"),
        Some("403")
    );
    assert_eq!(
        gateway
            .ask("GET", "/forward-auth?deny=401", &from("::1"))
            .status,
        400
    );
}

#[test]
fn only_trusted_peers_speak_for_others() {
    for networks in ["[]", "[\"192.0.2.0/24\"]"] {
        let program = trusting(networks);
        let mut stranger = program.client_of("http");
        for _ in 0..3 {
            let refused = stranger.ask("GET", "/forward-auth", &from("192.0.2.7"));
            assert_eq!(refused.status, 403);
            assert_eq!(refused.field("x-aforo-status"), None);
        }
        let named = program
            .log()
            .matches("add it to identity.trusted_proxies")
            .count();
        assert_eq!(named, 1, "{}", program.log());
    }
}

#[test]
fn a_gateway_that_leaves_something_out_is_told() {
    let program = trusting("[\"loopback\"]");
    let mut gateway = program.client_of("http");
    let whole = from("192.0.2.7");
    for left_out in [
        "x-forwarded-method",
        "x-forwarded-uri",
        "x-forwarded-host",
        "x-forwarded-for",
    ] {
        let fields: String = whole
            .split_inclusive("\r\n")
            .filter(|line| !line.starts_with(left_out))
            .collect();
        let told = gateway.ask("GET", "/forward-auth", &fields);
        assert_eq!(told.status, 400, "{left_out}");
        assert!(told.json()["detail"].as_str().unwrap().contains(left_out));
    }
    let twice = format!("{whole}x-forwarded-uri: /free\r\n");
    assert_eq!(gateway.ask("GET", "/forward-auth", &twice).status, 400);
    assert_eq!(gateway.ask("POST", "/forward-auth", &whole).status, 405);
    assert_eq!(gateway.ask("GET", "/forward-auth", &whole).status, 200);
}
