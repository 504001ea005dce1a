//! The contract's own example, and defaults.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use aforo_core::{Algorithm, Span, Timestamp, Window};
use aforo_policy::*;

use super::{lines, plan_policy, quota, settings};

/// The example of the contract without what is not available yet.
const EXAMPLE: &str = r#"
[gateway]
listen   = "127.0.0.1:8080"
upstream = ["http://127.0.0.1:3000"]

[edge]
policies = ["3000/minute"]

[stores.default]
url = "memory"
on_store_failure = "local"
timeout = "50ms"

[identity]
trusted_proxies = []
api_key = { header = "x-api-key" }
default_plan = "free"

[plans.anonymous]
policies = ["30/minute"]

[plans.free]
policies = ["60/minute burst 10", "1000/hour"]

[plans.pro]
policies = ["1000/minute burst 200", "50000/hour fixed-window", "@contract"]

[policies.contract]
quota = "1000000/month"
store = "quotas"

[policies.writes]
quota = { free = "20/minute", pro = "300/minute", default = "10/minute" }

[policies.login-address]
quota = "20/15min"
partition_by = ["client_ip"]
disclose = "retry"

[policies.login-account]
quota = "5/15min"
partition_by = ["body:/email | form:email"]
normalize = ["trim", "lowercase", "nfc"]
when_missing = "deny"
count = "failures"

[[groups]]
match = "POST|PUT|PATCH|DELETE /{*path}"
policies = ["@writes"]

[[routes]]
match = ["POST /login", "POST /reset"]
policies = ["@login-address", "@login-account"]

[[routes]]
match = "POST /orders"
cost = 5
policies = ["10/minute"]

[[routes]]
match = "/healthz"
exempt = true

[[consumers]]
id = "acme"
plan = "pro"
contact = "ops@acme.example"
api_key_sha256 = ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]
overrides = [{ policy = "pro-minute", quota = "2000/minute burst 400", until = 2027-01-31, reason = "launch" }]

[stores.quotas]
url = "memory"
"#;

fn names(policies: &[std::sync::Arc<Policy>]) -> Vec<&str> {
    policies.iter().map(|policy| policy.name.as_str()).collect()
}

#[test]
fn the_contracts_example_says_what_the_contract_says() {
    let settings = settings(EXAMPLE);
    assert_eq!(names(&settings.edge), ["edge-minute"]);
    assert_eq!(
        names(&settings.plans["anonymous"].policies),
        ["anonymous-minute"]
    );
    assert_eq!(
        names(&settings.plans["free"].policies),
        ["free-minute", "free-hour"]
    );
    assert_eq!(
        names(&settings.plans["pro"].policies),
        ["pro-minute", "pro-hour", "contract"]
    );
    assert_eq!(names(&settings.groups[0].policies), ["writes"]);
    assert_eq!(
        names(&settings.routes[0].policies),
        ["login-address", "login-account"]
    );
    assert_eq!(names(&settings.routes[1].policies), ["post-orders-minute"]);
    let policies: Vec<&String> = settings.policies.keys().collect();
    assert_eq!(
        policies,
        ["contract", "login-account", "login-address", "writes"]
    );

    let free = quota(plan_policy(&settings, "free-minute"));
    assert_eq!(free.algorithm(), Algorithm::TokenBucket);
    assert_eq!((free.amount(), free.capacity()), (60, 10));
    let hour = quota(plan_policy(&settings, "free-hour"));
    assert_eq!(hour.algorithm(), Algorithm::SlidingWindow);
    assert_eq!(hour.window(), Window::Length(Span::from_seconds(3_600)));
    let fixed = quota(plan_policy(&settings, "pro-hour"));
    assert_eq!(
        fixed.window(),
        Window::Calendar(aforo_core::CalendarUnit::Hour)
    );
    let contract = quota(plan_policy(&settings, "contract"));
    assert_eq!(
        contract.window(),
        Window::Calendar(aforo_core::CalendarUnit::Month)
    );
    assert_eq!(plan_policy(&settings, "contract").store, "quotas");
}

#[test]
fn policies_count_by_what_their_place_says() {
    let settings = settings(EXAMPLE);
    let alone = |part: Part| Alternatives(vec![part]);
    let free = plan_policy(&settings, "free-minute");
    assert_eq!(free.partition_by, [alone(Part::Caller)]);
    assert_eq!(settings.edge[0].partition_by, [alone(Part::ClientIp(None))]);
    assert_eq!(
        settings.groups[0].policies[0].partition_by,
        [alone(Part::Caller)]
    );
    let orders = &settings.routes[1].policies[0];
    assert_eq!(
        orders.partition_by,
        [alone(Part::Caller), alone(Part::Route)]
    );
    let address = &settings.routes[0].policies[0];
    assert_eq!(address.partition_by, [alone(Part::ClientIp(None))]);
    assert_eq!(address.disclose, Disclosure::Retry);
    let account = &settings.routes[0].policies[1];
    assert_eq!(
        account.partition_by,
        [Alternatives(vec![
            Part::Body("/email".to_owned()),
            Part::Form("email".to_owned())
        ])]
    );
    assert_eq!(
        account.normalize,
        [Normalize::Trim, Normalize::Lowercase, Normalize::Nfc]
    );
    assert_eq!(account.when_missing, WhenMissing::Deny);
    assert_eq!(account.counted, Counted::Failures);
}

#[test]
fn routes_plans_and_consumers_are_read() {
    let settings = settings(EXAMPLE);
    let writes = &settings.groups[0].policies[0];
    let plans: Vec<&String> = writes.by_plan.keys().collect();
    assert_eq!(plans, ["free", "pro"]);
    assert_eq!(quota(writes).amount(), 10);
    assert_eq!(settings.routes[1].cost, 5);
    assert_eq!(settings.routes[0].cost, 1);
    assert!(settings.routes[2].exempt);
    let post = Methods::Only(vec![http::Method::POST]);
    assert_eq!(settings.routes[0].matches[0].0, post);
    assert_eq!(settings.routes[0].matches[1].1.as_str(), "/reset");
    assert_eq!(settings.routes[2].matches[0].0, Methods::Any);
    let acme = &settings.consumers["acme"];
    assert_eq!(
        acme.plan.as_ref().map(|plan| plan.name.as_str()),
        Some("pro")
    );
    assert_eq!(acme.api_key_sha256[0][..4], [0x9f, 0x86, 0xd0, 0x81]);
    let launch = &acme.overrides[0];
    assert_eq!(launch.policy, "pro-minute");
    // The whole day counts: 2027-02-01T00:00:00Z.
    assert_eq!(launch.until, Some(Timestamp::from_seconds(1_801_440_000)));
    let Allowance::Metered(metered) = &launch.allowance else {
        panic!("{launch:?}");
    };
    assert_eq!(metered.terms.name().as_str(), "pro-minute");
    assert_eq!(metered.terms.quota().capacity(), 400);
}

#[test]
fn the_contracts_example_as_printed_lacks_only_what_is_not_available_yet() {
    let printed = format!(
        "{}\n[admin]\nlisten = \"127.0.0.1:9090\"\ntoken = {{ env = \"AFORO_ADMIN_TOKEN\" }}\n\
         [decide]\ngrpc = \"127.0.0.1:8081\"\nhttp = \"127.0.0.1:8082\"\nresp = \"127.0.0.1:6380\"\n",
        EXAMPLE.replace(
            "[stores.quotas]\nurl = \"memory\"",
            "[stores.quotas]\nurl = \"postgres://aforo@db/aforo\""
        )
    );
    let found = lines(&printed);
    assert_eq!(found, ["74:2 `admin` is not available yet",]);
}

#[test]
fn a_file_of_policies_alone_is_for_a_library() {
    let settings = settings("[policies.api]\nquota = \"60/minute\"\n");
    assert_eq!(quota(&settings.policies["api"]).amount(), 60);
    assert!(settings.gateway.is_none());
    assert_eq!(
        settings.stores,
        BTreeMap::from([("default".to_owned(), StoreSettings::default())])
    );
}

#[test]
fn an_empty_file_is_all_defaults() {
    let settings = settings("");
    assert_eq!(settings.identity.ipv6_prefix, 64);
    assert_eq!(settings.identity.api_key[0].header, "x-api-key");
    assert_eq!(settings.responses.ratelimit_draft, Draft::Eleven);
    assert!(settings.paths.case_sensitive);
}

#[test]
fn every_field_of_the_gateway_is_read() {
    let settings = settings(
        r#"
        [gateway]
        listen = "[::1]:8443"
        upstream = ["http://a.example:3000/base", "http://[::1]:3001"]
        tls = { cert = "cert.pem", key = "key.pem" }
        max_connections = 5000
        max_connections_per_address = 20
        header_timeout = "1s"
        idle_timeout = "2s"
        connect_timeout = "300ms"
        response_timeout = "4s"
        drain_timeout = "5s"
        forward_path = "raw"
        max_body_for_keys = 1024
        cors = { allow_origins = ["https://app.example", "http://localhost:5173"] }
        [plans.anonymous]
        policies = ["unlimited"]
        "#,
    );
    let gateway = settings.gateway.unwrap();
    assert_eq!(gateway.listen, "[::1]:8443".parse::<SocketAddr>().unwrap());
    assert_eq!(gateway.upstream.len(), 2);
    assert_eq!(
        gateway.upstream[0],
        Upstream::Http("http://a.example:3000/base".parse().unwrap())
    );
    assert_eq!(gateway.tls.unwrap().key.to_str(), Some("key.pem"));
    assert_eq!(gateway.max_connections, 5_000);
    assert_eq!(gateway.max_connections_per_address, 20);
    assert_eq!(gateway.header_timeout, Span::from_seconds(1));
    assert_eq!(gateway.idle_timeout, Span::from_seconds(2));
    assert_eq!(gateway.connect_timeout, Span::from_millis(300));
    assert_eq!(gateway.response_timeout, Span::from_seconds(4));
    assert_eq!(gateway.drain_timeout, Span::from_seconds(5));
    assert!(!gateway.forward_canonical);
    assert_eq!(gateway.max_body_for_keys, 1_024);
    let origins = gateway.cors.unwrap().allow_origins;
    assert_eq!(origins, ["https://app.example", "http://localhost:5173"]);
}

#[test]
fn every_field_of_the_responses_and_paths_is_read() {
    let settings = settings(
        r#"
        [responses]
        fields = ["ratelimit"]
        ratelimit_draft = "next"
        upstream_fields = "keep"
        body = { template = "{detail}" }
        language = "es"
        documentation_url = "https://docs.example/limits"
        retry_after = "date"
        retry_jitter = "2s"
        [paths]
        case_sensitive = false
        trailing_slash = "ignore"
        encoded_slash = "keep"
        "#,
    );
    let responses = &settings.responses;
    assert_eq!(responses.fields, [FieldFamily::RateLimit]);
    assert_eq!(responses.ratelimit_draft, Draft::Next);
    assert_eq!(responses.upstream_fields, UpstreamFields::Keep);
    assert_eq!(responses.body, Body::Template("{detail}".to_owned()));
    assert_eq!(responses.language, Language::Spanish);
    let url = Some("https://docs.example/limits");
    assert_eq!(responses.documentation_url.as_deref(), url);
    assert_eq!(responses.retry_after, RetryAfter::Date);
    assert_eq!(responses.retry_jitter, Span::from_seconds(2));
    assert!(!settings.paths.case_sensitive);
    assert_eq!(settings.paths.trailing_slash, TrailingSlash::Ignore);
    assert_eq!(settings.paths.encoded_slash, EncodedSlash::Keep);
    let classic = super::settings("[responses]\nbody = \"classic\"\nratelimit_draft = 11\n");
    assert_eq!(classic.responses.body, Body::Classic);
}

#[test]
fn gateways_are_checked() {
    let gateway = |lines: &str| {
        format!(
            "[gateway]\nlisten = \"127.0.0.1:80\"\n{lines}\n[plans.anonymous]\npolicies = [\"1/s\"]\n"
        )
    };
    let upstream = |value: &str| super::finding(&gateway(&format!("upstream = {value}")));
    assert_eq!(upstream("[]"), "3:12 a gateway with nothing behind it");
    for wrong in [
        "127.0.0.1:3000",
        "ftp://a",
        "http://",
        "http://a:99999",
        "http://u@a",
        "http://a/?q",
    ] {
        assert_eq!(
            upstream(&format!("[\"{wrong}\"]")),
            format!("3:13 `{wrong}` is not an upstream")
        );
    }
    assert_eq!(
        upstream("[\"https://a\"]"),
        "3:13 `an upstream at https:` is not available yet"
    );
    assert_eq!(
        upstream("[\"builtin:echo\", \"http://a\"]"),
        "3:12 `builtin:echo` beside another upstream"
    );
    let with = |line: &str| super::finding(&gateway(&format!("upstream = [\"http://a\"]\n{line}")));
    assert_eq!(with("max_connections = 0"), "4:19 found 0");
    assert_eq!(with("idle_timeout = \"0s\""), "4:16 no time at all");
    assert_eq!(
        with("idle_timeout = \"5\""),
        "4:16 `5` is not a length of time"
    );
    assert_eq!(
        with("cors = { allow_origins = [\"https://a/\"] }"),
        "4:27 `https://a/` is not an origin"
    );
    assert_eq!(
        with("cors = { allow_origins = [\"*\", \"https://a\"] }"),
        "4:26 `*` beside an origin"
    );
    assert_eq!(
        super::finding(
            "[gateway]\nlisten = \"localhost:80\"\nupstream = [\"http://a\"]\n[identity]\nanonymous = \"deny\"\n"
        ),
        "2:10 `localhost:80` is not an address to listen at"
    );
}
