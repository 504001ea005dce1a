//! `exempt_cookie`: what it says and what it is refused with.

use aforo_core::Span;
use aforo_policy::{Alternatives, Normalize, Part, Secret};

use super::{finding, findings, settings};

/// A login with a policy per account that has these fields.
fn login(fields: &str) -> String {
    format!(
        "[[routes]]\nmatch = \"POST /login\"\npolicies = [\"@account\"]\n\
         [policies.account]\nquota = \"5/15min\"\n{fields}\n"
    )
}

const RIGHT: &str = r#"partition_by = ["body:/email | form:email"]
count = "failures"
"#;

#[test]
fn a_cookie_has_a_name_a_secret_and_the_policys_account() {
    let text = login(&format!(
        "{RIGHT}normalize = [\"trim\", \"nfc\"]\n\
         exempt_cookie = {{ name = \"__Host-device\", secret = {{ env = \"DEVICES\" }} }}"
    ));
    let settings = settings(&text);
    let cookie = settings.routes[0].policies[0]
        .exempt_cookie
        .as_ref()
        .unwrap();
    assert_eq!(cookie.name, "__Host-device");
    assert_eq!(cookie.secret, Secret::Variable("DEVICES".to_owned()));
    let email = vec![
        Part::Body("/email".to_owned()),
        Part::Form("email".to_owned()),
    ];
    assert_eq!(cookie.account, [Alternatives(email)]);
    assert_eq!(cookie.normalize, [Normalize::Trim, Normalize::Nfc]);
    assert_eq!(cookie.max_age, Span::from_seconds(90 * 86_400));
    assert!(cookie.is_set);
}

#[test]
fn a_policy_per_address_names_the_account() {
    let text = login(
        r#"partition_by = ["client_ip"]
normalize = ["lowercase"]
exempt_cookie = { name = "d", secret = { file = "/run/d" }, account = ["form:user"], max_age = "7d", set = false }"#,
    );
    let settings = settings(&text);
    let cookie = settings.routes[0].policies[0]
        .exempt_cookie
        .as_ref()
        .unwrap();
    let user = Alternatives(vec![Part::Form("user".to_owned())]);
    assert_eq!(cookie.account, [user]);
    assert_eq!(cookie.max_age, Span::from_seconds(7 * 86_400));
    assert!(!cookie.is_set);
}

#[test]
fn senseless_cookies_are_refused_with_their_place() {
    let secret = "secret = { env = \"S\" }";
    for (fields, refusal) in [
        (
            format!("{RIGHT}exempt_cookie = {{ name = \"a b\", {secret} }}"),
            "8:26 `a b` is not a cookie's name",
        ),
        (
            format!("{RIGHT}exempt_cookie = {{ name = \"d\" }}"),
            "8:17 the field `secret` is missing",
        ),
        (
            format!("{RIGHT}exempt_cookie = {{ name = \"d\", secret = \"hunter2\" }}"),
            "8:40 a secret is never written into the file",
        ),
        (
            format!("partition_by = [\"body:/a\"]\nexempt_cookie = {{ name = \"d\", {secret} }}"),
            "7:17 nothing tells a good login from a failed one",
        ),
        (
            format!(
                "count = \"failures\"\npartition_by = [\"client_ip\"]\nexempt_cookie = {{ name = \"d\", {secret} }}"
            ),
            "8:17 a known device is known for an account",
        ),
        (
            format!(
                "count = \"failures\"\npartition_by = [\"client_ip\"]\nexempt_cookie = {{ name = \"d\", {secret}, account = [\"client_ip\"] }}"
            ),
            "8:66 an account is what the request names",
        ),
        (
            format!(
                "count = \"failures\"\npartition_by = [\"caller\"]\nexempt_cookie = {{ name = \"d\", {secret}, account = [\"body:/a\"] }}"
            ),
            "7:17 `exempt_cookie` does not go with `caller` alone",
        ),
        (
            format!("{RIGHT}exempt_cookie = {{ name = \"d\", {secret}, max_age = \"0s\" }}"),
            "8:65 no time at all",
        ),
    ] {
        assert_eq!(finding(&login(&fields)), refusal, "{fields}");
    }
}

#[test]
fn a_cookie_is_known_on_routes_only_and_made_in_one_way() {
    let cookie = "exempt_cookie = { name = \"d\", secret = { env = \"S\" } }";
    let in_plan = format!(
        "[plans.anonymous]\npolicies = [\"@account\"]\n\
         [policies.account]\nquota = \"5/15min\"\n{RIGHT}{cookie}\n"
    );
    assert_eq!(
        finding(&in_plan),
        "2:13 `exempt_cookie` is for the policies of a route"
    );
    let other = cookie.replace("\"S\"", "\"T\"");
    let two = format!(
        "{}[policies.other]\nquota = \"9/h\"\n{RIGHT}{other}\n",
        login(&format!("{RIGHT}{cookie}"))
    );
    assert_eq!(finding(&two), "13:17 another cookie is named `d`");
    assert_eq!(findings(&two)[0].related.as_ref().unwrap().line, 8);
    settings(&two.replace("\"T\"", "\"S\""));
}
