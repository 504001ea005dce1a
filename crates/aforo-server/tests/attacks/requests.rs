//! One route under many names.

use crate::{FIVE, admitted, gateway};

/// Five requests a day for the login, and enough for everything else.
const LOGIN: &str = r#"
[paths]
case_sensitive = false
trailing_slash = "ignore"

[plans.many]
policies = ["1000/day fixed-window"]

[[routes]]
match = "POST /v1/login"
policies = [{ name = "login", quota = "5/day fixed-window", partition_by = ["client_ip"] }]

[[routes]]
match = "GET /v1/items/{id}"
policies = [{ name = "items", quota = "5/day fixed-window", partition_by = ["client_ip", "route", "method"] }]

[[consumers]]
id = "many"
plan = "many"
api_key_sha256 = ["3fc9b689459d738f8c88a3a48aa9e33542016b7a4052e001aaa536fca74813cb"]
"#;

/// Of the API key `something`: its plan does not limit what the attacks ask for.
const MANY: &str = "x-api-key: something\r\n";

fn request(method: &str, target: &str, host: &str, fields: &str) -> String {
    format!("{method} {target} HTTP/1.1\r\nhost: {host}\r\n{MANY}{fields}content-length: 0\r\n\r\n")
}

const SPELLINGS: [&str; 24] = [
    "/v1/login",
    "//v1/login",
    "/v1//login",
    "/v1/./login",
    "/v1/x/../login",
    "/./v1/login",
    "/v1/login/",
    "/v1/login//",
    "/v1/login/.",
    "/V1/LOGIN",
    "/v1/LogIn/",
    "/v1/lo%67in",
    "/%76%31/login",
    "/v1/%6C%6f%67in",
    "/v1/login;a=b",
    "/v1;x=1/login;y",
    "/v1/login?x=1",
    "/v1/login?",
    "http://api.example/v1/login",
    "HTTP://other.example/v1/login",
    "http://other.example:99//v1/x/../login",
    "/v1/%2e%2e/v1/login",
    "/v1/login/%2e",
    "/x/%2E%2E/v1/login",
];

#[test]
fn a_path_in_other_spellings_is_one_route() {
    let program = gateway("", LOGIN);
    let requests = SPELLINGS.map(|target| request("POST", target, "a", ""));
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
}

#[test]
fn hosts_schemes_and_overrides_open_no_bucket() {
    let program = gateway("", LOGIN);
    let requests = (0..20).map(|n| {
        let override_of = ["GET", "PUT", "LOGIN", "OPTIONS"][n % 4];
        let fields = format!(
            "x-http-method-override: {override_of}\r\nx-http-method: {override_of}\r\n\
             x-method-override: {override_of}\r\nx-forwarded-host: h{n}\r\nx-forwarded-proto: p{n}\r\n\
             x-original-url: /v1/{n}\r\nx-rewrite-url: /v1/{n}\r\nx-forwarded-prefix: /{n}\r\n"
        );
        request("POST", "/v1/login", &format!("h{n}.example:{n}"), &fields)
    });
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
}

#[test]
fn ids_of_a_route_and_head_share_its_counter() {
    let program = gateway("", LOGIN);
    let requests = (0..20).map(|n| {
        let method = ["GET", "HEAD"][n % 2];
        request(method, &format!("/v1/items/{n}?page={n}"), "a", "")
    });
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
}
