//! Who is calling: what opens a bucket and what does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::{bench, built, get, settings, with};
use aforo::{KnownConsumer, Limiter, Observer};

const TWO_A_MINUTE: &str = r#"
    [plans.anonymous]
    policies = ["2/minute fixed-window"]
"#;

#[tokio::test]
async fn rl_01_a_rotated_forwarding_header_opens_no_bucket() {
    let bench = bench(TWO_A_MINUTE);
    let mut statuses = Vec::new();
    let headers = [
        "203.0.113.1",
        "203.0.113.2",
        "203.0.113.3",
        "not-an-ip-4711",
    ];
    for (tenth, header) in headers.into_iter().enumerate() {
        bench.at(tenth as u64 * 100);
        let request = with(get("/"), "x-forwarded-for", header);
        statuses.push(bench.send("198.51.100.7", request).await.code());
    }
    assert_eq!(statuses, [200, 200, 429, 429]);
    // Nor does naming somebody's address spend his budget.
    assert_eq!(bench.statuses("203.0.113.1", "/", 3).await, [200, 200, 429]);
}

#[tokio::test]
async fn rl_01_the_right_most_untrusted_address_is_counted() {
    let text = format!("{TWO_A_MINUTE}\n[identity]\ntrusted_proxies = [\"10.0.0.0/8\"]");
    let bench = bench(&text);
    let mut statuses = Vec::new();
    for random in [
        "203.0.113.1",
        "203.0.113.2",
        "10.9.9.9, 1.1.1.1",
        "not-an-ip-4711",
    ] {
        let header = format!("{random}, 198.51.100.7");
        let request = with(get("/"), "x-forwarded-for", &header);
        statuses.push(bench.send("10.0.0.2", request).await.code());
    }
    assert_eq!(statuses, [200, 200, 429, 429]);
}

#[derive(Clone, Default)]
struct Untrusted(Arc<AtomicU64>);

impl Observer for Untrusted {
    fn untrusted_forwarding(&self, peer: std::net::IpAddr) {
        assert_eq!(peer, crate::support::address("172.17.0.1"));
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn rl_02_an_untrusted_balancer_is_noticed_and_a_trusted_one_tells_callers_apart() {
    let quota = "[plans.anonymous]\npolicies = [\"3/minute fixed-window\"]\n";
    let callers = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"];

    for trusted in ["[]", "[\"127.0.0.1/32\"]"] {
        let text = format!("{quota}[identity]\ntrusted_proxies = {trusted}");
        let seen = Untrusted::default();
        let bench = built(
            Limiter::builder()
                .settings(settings(&text))
                .observer(seen.clone()),
        );
        let mut statuses = Vec::new();
        for caller in callers {
            let request = with(get("/"), "x-forwarded-for", caller);
            statuses.push(bench.send("172.17.0.1", request).await.code());
        }
        assert_eq!(statuses, [200, 200, 200, 429]);
        assert_eq!(seen.0.load(Ordering::Relaxed), 4);
        assert_eq!(bench.limiter.untrusted_forwarding_headers(), 4);
    }

    let bench = bench(&format!(
        "{quota}[identity]\ntrusted_proxies = [\"172.17.0.0/16\"]"
    ));
    for caller in callers {
        let request = with(get("/"), "x-forwarded-for", caller);
        let seen = bench.send("172.17.0.1", request).await;
        assert_eq!((seen.code(), seen.remaining()), (200, Some(2)));
    }
    assert_eq!(bench.limiter.untrusted_forwarding_headers(), 0);
}

#[tokio::test]
async fn rl_06_mapped_addresses_are_ipv4_addresses() {
    let bench = bench("[plans.anonymous]\npolicies = [\"1/minute fixed-window\"]");
    assert_eq!(bench.status("::ffff:192.0.2.1", "/").await, 200);
    assert_eq!(bench.status("::ffff:198.51.100.2", "/").await, 200);
    assert_eq!(bench.status("192.0.2.1", "/").await, 429);
}

#[tokio::test]
async fn rl_07_one_ipv6_host_owns_one_bucket() {
    let text = |prefix: &str| {
        format!("[plans.anonymous]\npolicies = [\"3/minute fixed-window\"]\n[identity]\n{prefix}")
    };
    let addresses: Vec<String> = (1..=10)
        .map(|host| format!("2001:db8:1:1::{host:x}"))
        .collect();
    let admitted = async |bench: &crate::support::Bench, addresses: &[String]| {
        let mut admitted = 0;
        for address in addresses {
            admitted += usize::from(bench.status(address, "/").await == 200);
        }
        admitted
    };

    let by_64 = bench(&text(""));
    assert_eq!(admitted(&by_64, &addresses).await, 3);
    assert_eq!(by_64.status("2001:db8:1:2::1", "/").await, 200);

    for (prefix, other) in [(48, "2001:db8:2::1"), (56, "2001:db8:1:100::1")] {
        let bench = bench(&text(&format!("ipv6_prefix = {prefix}")));
        assert_eq!(admitted(&bench, &addresses).await, 3);
        assert_eq!(bench.status("2001:db8:1:2::1", "/").await, 429);
        assert_eq!(bench.status(other, "/").await, 200);
    }
    let by_128 = bench(&text("ipv6_prefix = 128"));
    assert_eq!(admitted(&by_128, &addresses).await, 10);

    let v4: Vec<String> = (1..=10).map(|host| format!("192.0.2.{host}")).collect();
    assert_eq!(admitted(&by_64, &v4).await, 10);
}

/// Policies by the header X-Tenant, with what a missing one means.
fn by_tenant(when_missing: &str) -> String {
    format!(
        r#"
        [plans.anonymous]
        policies = ["@tenant"]
        [policies.tenant]
        quota = "5/second fixed-window"
        partition_by = ["header:x-tenant"]
        {when_missing}
        "#
    )
}

#[tokio::test]
async fn rl_11_a_missing_part_never_collapses_strangers() {
    let peers: Vec<String> = (1..=10).map(|host| format!("192.0.2.{host}")).collect();
    for (when_missing, expected) in [
        ("", 200),
        ("when_missing = \"caller\"", 200),
        ("when_missing = \"skip\"", 200),
        ("when_missing = \"deny\"", 400),
    ] {
        let bench = bench(&by_tenant(when_missing));
        for peer in &peers {
            assert_eq!(bench.status(peer, "/").await, expected, "{when_missing}");
        }
    }
    // Falling back to the caller still limits the caller; skipping does not.
    let caller = bench(&by_tenant(""));
    assert_eq!(
        caller.statuses("192.0.2.1", "/", 6).await,
        [200, 200, 200, 200, 200, 429]
    );
    let skipped = bench(&by_tenant("when_missing = \"skip\""));
    assert_eq!(skipped.statuses("192.0.2.1", "/", 7).await, [200; 7]);
    // Nor does a tenant named like an address share that address's bucket.
    let tenant = with(get("/"), "x-tenant", "192.0.2.1");
    assert_eq!(caller.send("198.51.100.1", tenant).await.code(), 200);
}

/// SHA-256 of `alice-key`.
const ALICE: &str = "72ee9d4355ccb9d3a4c9dbf37382e38e75c1b1a225b5bd1f729ee91bbda30c20";

fn with_alice(hash: &str) -> String {
    format!(
        r#"
        [plans.anonymous]
        policies = ["5/minute fixed-window"]
        [plans.free]
        policies = ["5/minute fixed-window"]
        [[consumers]]
        id = "alice"
        plan = "free"
        api_key_sha256 = ["{hash}"]
        "#
    )
}

#[tokio::test]
async fn rl_15_what_does_not_verify_is_charged_to_its_address() {
    let bench = bench(&with_alice(ALICE));
    let attacker = "198.51.100.66";
    for _ in 0..5 {
        let forged = with(get("/"), "x-api-key", "alice");
        assert_eq!(bench.send(attacker, forged).await.code(), 200);
    }
    let real = with(get("/"), "x-api-key", "alice-key");
    let seen = bench.send("203.0.113.5", real).await;
    assert_eq!((seen.code(), seen.remaining()), (200, Some(4)));
    for random in 0..6 {
        let rotated = with(get("/"), "x-api-key", &format!("random-{random}"));
        let seen = bench.send(attacker, rotated).await;
        assert_eq!(seen.code(), 429);
        assert_eq!(seen.problem()["credential"], "unrecognised");
    }
}

#[tokio::test]
async fn rl_18_an_unverified_second_credential_picks_no_bucket() {
    let text = r#"
        [plans.anonymous]
        policies = ["3/second fixed-window"]
        [plans.free]
        policies = ["3/second fixed-window"]
        [identity]
        default_plan = "free"
    "#;
    let rotating_beside_a_session = async |rotate: bool| {
        let bench = built(
            Limiter::builder()
                .settings(settings(text))
                .identify(|parts| {
                    let bearer = parts.headers.get("authorization")?;
                    (bearer == "Bearer valid").then(|| KnownConsumer::new("bob"))
                }),
        );
        let mut admitted = 0;
        for attempt in 0..30 {
            bench.at(attempt * 3);
            let mut request = with(get("/"), "authorization", "Bearer valid");
            if rotate {
                request = with(request, "x-api-key", &format!("k-{attempt}"));
            }
            let peer = format!("192.0.2.{attempt}");
            admitted += usize::from(bench.send(&peer, request).await.code() == 200);
        }
        admitted
    };
    assert_eq!(rotating_beside_a_session(true).await, 3);
    assert_eq!(rotating_beside_a_session(false).await, 3);
}

#[tokio::test]
async fn failed_credentials_are_limited_per_address_and_nobody_else_is() {
    let text = with_alice(ALICE).replacen("5/minute", "1000/minute", 1);
    let bench = bench(&text);
    let mut admitted = 0;
    for guess in 0..100 {
        let guessed = with(get("/"), "x-api-key", &format!("guess-{guess}"));
        let seen = bench.send("198.51.100.66", guessed).await;
        admitted += u32::from(seen.code() == 200);
        if seen.code() == 429 {
            assert!(seen.retry_after().unwrap() >= 1);
            assert!(
                seen.field("x-ratelimit-policy")
                    .is_none_or(|policy| !policy.contains("failed"))
            );
        }
    }
    assert_eq!(admitted, 60);
    // The same address without a credential, or with a good one, goes on.
    assert_eq!(bench.status("198.51.100.66", "/").await, 200);
    let real = with(get("/"), "x-api-key", "alice-key");
    assert_eq!(bench.send("198.51.100.66", real).await.code(), 200);
}

#[tokio::test]
async fn an_application_says_who_its_consumers_are() {
    let bench = built(
        Limiter::builder()
            .plan("anonymous", ["1/minute fixed-window"])
            .plan("pro", ["3/minute fixed-window"])
            .identify(|parts| {
                let user = parts.headers.get("x-session")?.to_str().ok()?;
                Some(KnownConsumer::new(user).plan("pro"))
            }),
    );
    let mut statuses = Vec::new();
    for peer in ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"] {
        let request = with(get("/"), "x-session", "ana");
        statuses.push(bench.send(peer, request).await.code());
    }
    assert_eq!(statuses, [200, 200, 200, 429]);
    assert_eq!(bench.statuses("192.0.2.1", "/", 2).await, [200, 429]);
}

#[tokio::test]
async fn anonymous_callers_can_be_refused() {
    let bench = bench("[identity]\nanonymous = \"deny\"");
    let seen = bench.send("192.0.2.1", get("/")).await;
    assert_eq!((seen.code(), seen.retry_after()), (401, None));
}
