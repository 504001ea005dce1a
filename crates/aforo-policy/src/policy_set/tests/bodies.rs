//! Policies that count by the body.

use std::sync::Arc;

use aforo_core::Mode;

use super::scene::{
    KEY, NOW, Request, anonymous, consumer, get, hashed, known, names, of_address, plan, policy,
    post, route, with_routes,
};
use crate::{
    Allowance, Alternatives, Caller, Consumer, Override, Part, Place, Places, Policy, PolicySet,
    Refusal, Scope, WhenMissing,
};

fn account() -> Policy {
    let alternatives = vec![
        Part::Body("/user/email".to_owned()),
        Part::Form("email".to_owned()),
    ];
    Policy {
        partition_by: vec![Alternatives(alternatives)],
        ..policy("account", &[])
    }
}

fn set_with(account: Policy) -> PolicySet {
    PolicySet::new(Arc::new(with_routes(vec![route(
        "POST /login",
        vec![policy("address", &[Part::ClientIp(None)]), account],
    )])))
}

fn stranger() -> Caller {
    anonymous("192.0.2.1", plan("anonymous", vec![]))
}

fn refusal(request: Request) -> Refusal {
    request
        .charges(&set_with(account()), &stranger())
        .unwrap_err()
}

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

#[test]
fn a_field_that_is_there_twice_is_refused() {
    let json = Refusal::DuplicatePart {
        part: "body:/user/email".to_owned(),
    };
    let form = Refusal::DuplicatePart {
        part: "form:email".to_owned(),
    };
    let twice = r#"{"user":{"email":"a","email":"b"}}"#;
    assert_eq!(refusal(post("/login", JSON, twice)), json);
    let nested = r#"{"user":{"email":"a"},"user":{"email":"b"}}"#;
    assert_eq!(refusal(post("/login", JSON, nested)), json);
    assert_eq!(refusal(post("/login", FORM, "email=a&email=a")), form);
}

#[test]
fn rl_26_a_body_that_cannot_be_decoded_is_refused_and_takes_nothing() {
    let unreadable = Refusal::UnreadableBody {
        expected: format!("{JSON} or {FORM}"),
    };
    let json: &[u8] = b"{\"user\":{\"email\":\"v\xedctim@example.org\"}}";
    assert_eq!(refusal(post("/login", JSON, json)), unreadable);
    assert_eq!(refusal(post("/login", FORM, "email=v%EDctim")), unreadable);
    for request in [
        post("/login", "text/plain", "email=a"),
        post("/login", "multipart/form-data; boundary=x", "--x--"),
        post("/login", "application/json; charset=utf-16", "{}"),
        post("/login", JSON, "{}").header("content-encoding", "gzip"),
        post("/login", JSON, "{"),
        post("/login", JSON, "email=a"),
    ] {
        assert_eq!(refusal(request.clone()), unreadable, "{request:?}");
    }
    let composite = Refusal::UnreadableBody {
        expected: "JSON with a text or a number at /user/email".to_owned(),
    };
    let array = r#"{"user":{"email":["a"]}}"#;
    assert_eq!(refusal(post("/login", JSON, array)), composite);
}

#[test]
fn an_absent_field_is_a_missing_part() {
    let set = set_with(account());
    for request in [
        post("/login", JSON, "{}"),
        post("/login", JSON, r#"{"user":{"email":null}}"#),
        post("/login", JSON, r#"{"user":{"email":""}}"#),
        post("/login", FORM, "mail=a"),
        post("/login", FORM, "email="),
        post("/login", "text/plain", ""),
        get("/login").method("POST"),
    ] {
        let counted = request.counted(&set, &stranger());
        assert_eq!(counted[1].1, of_address("192.0.2.1"), "{request:?}");
    }
    let denying = set_with(Policy {
        when_missing: WhenMissing::Deny,
        ..account()
    });
    let missing = Refusal::MissingPart {
        policy: "account".to_owned(),
        part: "body:/user/email | form:email".to_owned(),
    };
    let empty = post("/login", JSON, "{}");
    assert_eq!(empty.charges(&denying, &stranger()).unwrap_err(), missing);
}

#[test]
fn only_what_is_read_in_the_media_type_counts() {
    let json_only = Policy {
        partition_by: vec![Alternatives(vec![Part::Body("/email".to_owned())])],
        ..policy("account", &[])
    };
    let set = set_with(json_only);
    let form = post("/login", FORM, "email=a");
    let unreadable = Refusal::UnreadableBody {
        expected: JSON.to_owned(),
    };
    assert_eq!(form.charges(&set, &stranger()).unwrap_err(), unreadable);
    let json = post("/login", "application/vnd.api+json", r#"{"email":7}"#);
    assert_eq!(json.counted(&set, &stranger())[1].1, hashed(b"v\x017"));
}

#[test]
fn a_shadow_policy_refuses_nothing() {
    let set = set_with(Policy {
        mode: Mode::Shadow,
        when_missing: WhenMissing::Deny,
        ..account()
    });
    for request in [
        post("/login", JSON, "{"),
        post("/login", JSON, "{}"),
        post("/login", FORM, "email=a&email=b"),
    ] {
        let caller = stranger();
        let charges = request.charges(&set, &caller).unwrap();
        assert_eq!(names(&charges), [(Scope::Route, "address".to_owned())]);
    }
    let whole = post("/login", FORM, "email=a");
    assert_eq!(whole.counted(&set, &stranger()).len(), 2);
}

#[test]
fn a_body_is_asked_for_when_a_policy_reads_it() {
    let set = set_with(account());
    let login = get("/login").method("POST");
    assert!(login.needs_body(&set, &stranger()));
    assert!(!get("/login").needs_body(&set, &stranger()));
    assert!(!get("/").needs_body(&set, &stranger()));

    let elsewhere = set_with(Policy {
        at: Places {
            gateway: false,
            app: true,
            decide: true,
        },
        ..account()
    });
    assert!(!login.needs_body(&elsewhere, &stranger()));
    assert!(
        login
            .clone()
            .at(Place::App)
            .needs_body(&elsewhere, &stranger())
    );

    let unlimited = set_with(Policy {
        allowance: Some(Allowance::Unlimited),
        ..account()
    });
    assert!(!login.needs_body(&unlimited, &stranger()));
    let overridden = Consumer {
        overrides: vec![Override {
            policy: "account".to_owned(),
            allowance: super::scene::minute("account", 1),
            from: None,
            until: None,
            reason: None,
        }],
        ..consumer("acme")
    };
    assert!(login.needs_body(&unlimited, &known(overridden, plan("pro", vec![]))));
}

#[test]
fn what_needs_no_body_can_be_looked_at_before_it_is_sent() {
    let set = set_with(Policy {
        when_missing: WhenMissing::Deny,
        ..account()
    });
    let caller = stranger();
    get("/login").method("POST").ask(&set, |facts| {
        let matched = set.matched(facts);
        let place = Place::Gateway;
        let charges = set.bodiless_charges(facts, &caller, &matched, place, NOW, &KEY);
        assert_eq!(
            names(&charges.unwrap()),
            [(Scope::Route, "address".to_owned())]
        );
    });
}
