//! Who is counted together and who apart.

use std::sync::Arc;

use http::HeaderName;

use super::scene::{
    anonymous, charge, consumer, get, hashed, known, of_address, plan, policy, post, route,
    with_routes,
};
use crate::{Alternatives, Normalize, Part, Policy, PolicySet, Refusal, Settings, WhenMissing};

fn set(settings: Settings) -> PolicySet {
    PolicySet::new(Arc::new(settings))
}

fn header(name: &'static str) -> Part {
    Part::Header(HeaderName::from_static(name))
}

#[test]
fn rl_11_a_missing_part_falls_back_to_each_caller() {
    let set = set(Settings::default());
    let request = get("/");
    let mut seen: Vec<u128> = Vec::new();
    for last in 0..10 {
        let tenant = policy("tenant", &[header("x-tenant")]);
        let caller = anonymous(
            &format!("203.0.113.{last}"),
            plan("anonymous", vec![tenant]),
        );
        seen.push(request.partition(&set, &caller));
        let empty = request.clone().header("x-tenant", "");
        assert_eq!(empty.partition(&set, &caller), seen[last]);
    }
    for id in ["a", "b", "c"] {
        let tenant = policy("tenant", &[header("x-tenant")]);
        let caller = known(consumer(id), plan("pro", vec![tenant]));
        seen.push(request.partition(&set, &caller));
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 13);
}

#[test]
fn rl_11_a_missing_part_skips_or_refuses_when_told_so() {
    let set = set(Settings::default());
    let with = |when_missing| Policy {
        when_missing,
        ..policy("tenant", &[header("x-tenant")])
    };
    let skipping = anonymous(
        "192.0.2.1",
        plan("anonymous", vec![with(WhenMissing::Skip)]),
    );
    assert_eq!(get("/").counted(&set, &skipping), []);
    let denying = anonymous(
        "192.0.2.1",
        plan("anonymous", vec![with(WhenMissing::Deny)]),
    );
    let missing = Refusal::MissingPart {
        policy: "tenant".to_owned(),
        part: "header:x-tenant".to_owned(),
    };
    assert_eq!(get("/").charges(&set, &denying).unwrap_err(), missing);
    let present = get("/").header("x-tenant", "a");
    assert_eq!(present.partition(&set, &denying), hashed(b"v\x01a"));
}

#[test]
fn rl_11_a_part_cannot_be_mistaken_for_the_fallback() {
    let set = set(Settings::default());
    let tenant = || plan("any", vec![policy("tenant", &[header("x-tenant")])]);
    let acme = known(consumer("acme"), tenant());
    let stranger = anonymous("192.0.2.1", tenant());
    let forged = get("/").header("x-tenant", "acme");
    assert_ne!(
        forged.partition(&set, &stranger),
        get("/").partition(&set, &acme)
    );
}

#[test]
fn rl_15_a_credential_that_was_not_verified_is_no_part_of_a_key() {
    let set = set(Settings::default());
    let minute = || plan("any", vec![policy("minute", &[Part::Caller])]);
    let alice = known(consumer("alice"), minute());
    let attacker = anonymous("198.51.100.66", minute());
    let mut seen = Vec::new();
    for token in [
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.",
        "a",
        "b",
        "c",
        "alice",
    ] {
        let request = get("/").header("authorization", &format!("Bearer {token}"));
        seen.push(request.partition(&set, &attacker));
    }
    seen.dedup();
    assert_eq!(seen, [of_address("198.51.100.66")]);
    assert_eq!(get("/").partition(&set, &alice), hashed(b"c\x05alice"));
}

#[test]
fn rl_18_a_second_credential_does_not_pick_the_bucket() {
    let set = set(Settings::default());
    let caller = known(
        consumer("acme"),
        plan("pro", vec![policy("minute", &[Part::Consumer])]),
    );
    let alone = get("/")
        .header("authorization", "Bearer good")
        .partition(&set, &caller);
    for number in 0..30 {
        let rotating = get("/")
            .header("authorization", "Bearer good")
            .header("x-api-key", &format!("k-{number}"));
        assert_eq!(rotating.partition(&set, &caller), alone);
    }
}

#[test]
fn rl_30_two_windows_of_one_caller_have_two_counters() {
    let set = set(Settings::default());
    let both = || {
        vec![
            policy("minute", &[Part::ClientIp(None)]),
            policy("day", &[Part::ClientIp(None)]),
        ]
    };
    let caller = anonymous("192.0.2.1", plan("anonymous", both()));
    let address = of_address("192.0.2.1");
    let expected = [("minute".to_owned(), address), ("day".to_owned(), address)];
    assert_eq!(get("/").counted(&set, &caller), expected);
    let charges = get("/").charges(&set, &caller).unwrap();
    let [minute, day] = charges.planned.as_slice() else {
        panic!("two charges")
    };
    assert_ne!(
        charge(&minute.planned).terms.tag(),
        charge(&day.planned).terms.tag()
    );
}

#[test]
fn rl_33_policies_of_equal_numbers_count_apart_and_a_shared_one_together() {
    let by_address = |name| policy(name, &[Part::ClientIp(None)]);
    let set = set(with_routes(vec![
        route("/a", vec![by_address("a"), by_address("shared")]),
        route("/b", vec![by_address("b"), by_address("shared")]),
    ]));
    let caller = anonymous("192.0.2.1", plan("anonymous", vec![]));
    let a = get("/a").counted(&set, &caller);
    let b = get("/b").counted(&set, &caller);
    assert_ne!(a[0], b[0]);
    assert_eq!(a[1], b[1]);
    assert_eq!(a[1].0, "shared");
}

#[test]
fn rl_26_an_account_is_the_same_in_json_and_in_a_form() {
    let account = Policy {
        partition_by: vec![Alternatives(vec![
            Part::Body("/email".to_owned()),
            Part::Form("email".to_owned()),
        ])],
        normalize: vec![Normalize::Trim, Normalize::Lowercase, Normalize::Nfc],
        when_missing: WhenMissing::Deny,
        ..policy("login-account", &[])
    };
    let set = set(with_routes(vec![route("POST /login", vec![account])]));
    let caller = anonymous("192.0.2.1", plan("anonymous", vec![]));
    let json = |body: &str| post("/login", "application/json", body);
    let form = |body: &str| post("/login", "application/x-www-form-urlencoded", body);
    let victim = hashed("v\x13v\u{ed}ctim@example.org".as_bytes());
    for request in [
        json("{\"email\":\"v\u{ed}ctim@example.org\"}"),
        json("{\"email\":\"V\\u00cdctim@Example.org\"}"),
        json("{\"email\":\" vi\u{301}ctim@example.org\\t\"}"),
        form("email=v%C3%ADctim%40example.org"),
        form("a=b&email=+V%C3%8Dctim@example.org"),
        form("%65mail=vi%CC%81ctim@example.org%09"),
    ] {
        assert_eq!(request.partition(&set, &caller), victim, "{request:?}");
    }
}
