//! Whatever an untrusted peer writes into headers, it is one caller and spends nobody else's quota.

use aforo::Limiter;
use http::{HeaderName, HeaderValue};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{Bench, built, get, settings, with};

/// Requests that a stranger has; failed credentials have 60.
const QUOTA: usize = 7;

/// acme's API key is `test`. A proxy that is trusted stands elsewhere.
const FILE: &str = r#"
    [identity]
    default_plan = "free"
    trusted_proxies = ["10.0.0.0/8"]
    verified_header = "x-consumer"
    api_key = [{ header = "x-api-key" }, { header = "authorization", scheme = "Bearer" }]
    [plans.anonymous]
    policies = ["7/hour fixed-window"]
    [plans.free]
    policies = ["3/hour fixed-window"]
    [[consumers]]
    id = "acme"
    api_key_sha256 = ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]
"#;

fn bench() -> Bench {
    built(Limiter::builder().settings(settings(FILE)))
}

/// Headers that something somewhere takes for who is calling.
fn header() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "x-forwarded-for",
        "forwarded",
        "x-real-ip",
        "x-client-ip",
        "cf-connecting-ip",
        "true-client-ip",
        "x-cluster-client-ip",
        "x-consumer",
        "x-consumer-id",
        "x-consumer-plan",
        "x-api-key",
        "authorization",
        "proxy-authorization",
        "cookie",
        "user-agent",
        "x-forwarded-client-cert",
        "x-http-method-override",
        "via",
    ])
}

/// Values that look like addresses, consumers and credentials, or like nothing.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<[u8; 4]>().prop_map(|octets| std::net::Ipv4Addr::from(octets).to_string()),
        any::<[u8; 16]>().prop_map(|octets| format!("[{}]:80", std::net::Ipv6Addr::from(octets))),
        Just("10.0.0.1, 127.0.0.1".to_owned()),
        Just("for=10.0.0.1;proto=https".to_owned()),
        Just("acme".to_owned()),
        Just("Bearer acme".to_owned()),
        Just("Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY21lIn0.".to_owned()),
        Just("Basic YWNtZTp0ZXN0".to_owned()),
        "[ -~]{0,40}".prop_filter("acme's key", |text| !text.contains("test")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_header_of_an_untrusted_peer_makes_another_caller(
        requests in vec(vec((header(), value()), 0..6), QUOTA..30),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let bench = bench();
            let mut admitted = 0;
            for fields in &requests {
                let mut request = get("/");
                for (name, value) in fields {
                    let name = HeaderName::from_static(name);
                    request.headers_mut().append(name, HeaderValue::from_str(value).unwrap());
                }
                let code = bench.send("203.0.113.9", request).await.code();
                prop_assert!(code == 200 || code == 429, "{}", code);
                admitted += usize::from(code == 200);
            }
            prop_assert_eq!(admitted, QUOTA);
            // Nobody else's quota was touched: a neighbour's, acme's, and that of an address named.
            let neighbour = bench.send("203.0.113.10", get("/")).await;
            prop_assert_eq!(neighbour.remaining(), Some(QUOTA as u64 - 1));
            let acme = bench.send("203.0.113.11", with(get("/"), "x-api-key", "test")).await;
            prop_assert_eq!(acme.remaining(), Some(2));
            let named = bench.send("10.0.0.1", get("/")).await;
            prop_assert_eq!(named.remaining(), Some(QUOTA as u64 - 1));
            Ok(())
        })?;
    }
}
