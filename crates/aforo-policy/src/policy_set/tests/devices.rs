//! Cookies of known devices.

use std::sync::{Arc, OnceLock};

use aforo_core::{Span, Timestamp};
use http::{HeaderMap, StatusCode};

use super::scene::{NOW, Request, anonymous, plan, policy, post, route, with_routes};
use crate::{
    Alternatives, Caller, Counted, ExemptCookie, Normalize, Part, Place, Policy, PolicySet, Secret,
};

const JSON: &str = "application/json";
const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";

fn cookie(secret: Option<&[u8]>) -> ExemptCookie {
    let cookie = ExemptCookie {
        name: "device".to_owned(),
        secret: Secret::Variable("DEVICES".to_owned()),
        account: vec![Alternatives(vec![Part::Body("/email".to_owned())])],
        normalize: vec![Normalize::Trim, Normalize::Lowercase],
        max_age: Span::from_seconds(100),
        is_set: true,
        key: OnceLock::new(),
    };
    if let Some(secret) = secret {
        cookie.unlock(secret).unwrap();
    }
    cookie
}

/// A login that counts by account and by address.
fn set(secret: Option<&[u8]>) -> PolicySet {
    let known = |policy: Policy| Policy {
        normalize: vec![Normalize::Trim, Normalize::Lowercase],
        counted: Counted::Failures,
        exempt_cookie: Some(Arc::new(cookie(secret))),
        ..policy
    };
    let account = known(policy("account", &[Part::Body("/email".to_owned())]));
    let address = known(policy("address", &[Part::ClientIp(None)]));
    let policies = vec![account, address];
    PolicySet::new(Arc::new(with_routes(vec![route("/login", policies)])))
}

fn stranger() -> Caller {
    anonymous("192.0.2.1", plan("anonymous", vec![]))
}

fn login(email: &str) -> Request {
    let body = serde_json::json!({ "email": email });
    post("/login", JSON, body.to_string())
}

/// The partitions of account and address.
fn partitions(request: &Request, set: &PolicySet) -> [u128; 2] {
    let counted = request.counted(set, &stranger());
    [counted[0].1, counted[1].1]
}

/// The cookie's value for an account.
fn value(email: &str, now: Timestamp) -> String {
    let set_cookie = cookie(Some(SECRET)).set_cookie(&[email], now).unwrap();
    let (value, _) = set_cookie.split_once(';').unwrap();
    value.to_owned()
}

#[test]
fn a_known_device_is_counted_apart_and_each_by_itself() {
    let set = set(Some(SECRET));
    let unknown = partitions(&login("ana@example.org"), &set);
    let first = value("ana@example.org", NOW);
    let second = value("Ana@example.org ", NOW.plus(Span::from_seconds(1)));
    let with = |email: &str, cookie: &str| login(email).header("cookie", cookie);
    let known = partitions(&with("ana@example.org", &first), &set);
    assert!(known[0] != unknown[0] && known[1] != unknown[1]);
    // Another spelling is the same account, also among other cookies.
    let spelled = with(" ANA@example.org", &format!("a=b; {first}; c=d"));
    assert_eq!(partitions(&spelled, &set), known);
    let other = partitions(&with("ana@example.org", &second), &set);
    assert!(other[0] != unknown[0] && other[0] != known[0]);
}

#[test]
fn a_cookie_that_is_not_right_is_ignored() {
    let set = set(Some(SECRET));
    let unknown = partitions(&login("ana@example.org"), &set);
    let right = value("ana@example.org", NOW);
    let foreign = value("bob@example.org", NOW);
    let past = value("ana@example.org", Timestamp::from_seconds(1_699_999_900));
    let forged = right.replace("v1.17000001", "v1.17000002");
    assert_ne!(forged, right);
    for wrong in [
        foreign.as_str(),
        past.as_str(),
        forged.as_str(),
        &format!("{right}; {right}"),
        &format!("{right}; {foreign}"),
        "device=",
        "device=v1.1700000100.",
    ] {
        let request = login("ana@example.org").header("cookie", wrong);
        assert_eq!(partitions(&request, &set), unknown, "{wrong}");
    }
    let twice = login("ana@example.org")
        .header("cookie", &right)
        .header("cookie", &right);
    assert_eq!(partitions(&twice, &set), unknown);
    let right = login("ana@example.org").header("cookie", &right);
    assert_ne!(partitions(&right, &set), unknown);
}

#[test]
fn without_the_secret_every_cookie_is_unknown() {
    let (locked, open) = (set(None), set(Some(SECRET)));
    let request = login("a@b").header("cookie", &value("a@b", NOW));
    assert_eq!(
        partitions(&request, &locked),
        partitions(&login("a@b"), &open)
    );
}

/// What the response to a login sets.
fn set_by(email: &str, status: u16, before: &[&str]) -> Vec<String> {
    let set = set(Some(SECRET));
    let caller = stranger();
    let aftermath = login(email).ask(&set, |facts| {
        set.aftermath(facts, &caller, &set.matched(facts), Place::Gateway)
    });
    let mut headers = HeaderMap::new();
    for value in before {
        headers.append("set-cookie", value.parse().unwrap());
    }
    let status = StatusCode::from_u16(status).unwrap();
    aftermath.unwrap().mark_device(status, &mut headers, NOW);
    let values = headers.get_all("set-cookie").iter();
    values
        .map(|value| value.to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_good_login_marks_the_device() {
    let expected = format!(
        "{}; Max-Age=100; Path=/; HttpOnly; Secure; SameSite=Lax",
        value("ana@example.org", NOW)
    );
    assert!(expected.starts_with("device=v1.1700000100."), "{expected}");
    for status in [200, 204, 302, 303] {
        assert_eq!(
            set_by(" Ana@example.org", status, &[]),
            std::slice::from_ref(&expected)
        );
    }
    for status in [400, 401, 403, 404, 422, 429, 500, 503] {
        assert_eq!(set_by("ana@example.org", status, &[]), [""; 0], "{status}");
    }
    let other = ["session=1", "devices=2"];
    let all = [other[0], other[1], &expected];
    assert_eq!(set_by("ana@example.org", 200, &other), all);
    let own = ["device=mine; Path=/"];
    assert_eq!(set_by("ana@example.org", 200, &own), own);
}
