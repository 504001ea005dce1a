//! `jwt` and `lookup` in `[identity]`.

use aforo_policy::{JwtKeys, OnLookupFailure};

use super::{finding, settings};

/// What is wrong with a line of `[identity]`, without its place, which is on line 2.
#[track_caller]
fn wrong(line: &str) -> String {
    let finding = finding(&format!("[identity]\n{line}\n"));
    let (place, message) = finding.split_once(' ').unwrap();
    assert!(place.starts_with("2:"), "{place}");
    message.to_owned()
}

#[test]
fn signatures_are_checked_with_exactly_one_thing() {
    for keys in [
        "",
        "keys_file = \"a\", jwks_url = \"https://a/b\", ",
        "secret = { env = \"S\" }, keys_file = \"a\", ",
    ] {
        assert_eq!(
            wrong(&format!("jwt = {{ {keys}issuer = \"i\" }}")),
            "signatures are checked with one thing"
        );
    }
    let text = "[identity]\njwt = { jwks_url = \"https://a/b\", issuer = \"i\" }\n";
    let jwt = settings(text).identity.jwt.unwrap();
    assert_eq!(jwt.keys, JwtKeys::Url("https://a/b".parse().unwrap()));
    assert_eq!(jwt.consumer, "sub");
    assert_eq!(jwt.source.scheme.as_deref(), Some("Bearer"));
}

#[test]
fn a_secret_and_public_keys_have_algorithms_of_their_own() {
    for (keys, algorithm) in [
        ("secret = { env = \"S\" }", "RS256"),
        ("secret = { env = \"S\" }", "EdDSA"),
        ("keys_file = \"a\"", "HS256"),
        ("jwks_url = \"https://a/b\"", "HS512"),
    ] {
        assert_eq!(
            wrong(&format!(
                "jwt = {{ {keys}, issuer = \"i\", algorithms = [\"{algorithm}\"] }}"
            )),
            "these algorithms are not for what signatures are checked with"
        );
    }
    assert_eq!(
        wrong("jwt = { keys_file = \"a\", issuer = \"i\", algorithms = [\"none\"] }"),
        "found \"none\""
    );
}

#[test]
fn an_issuer_has_no_bar_that_would_end_it() {
    for issuer in ["a|b", "a b", ""] {
        assert_eq!(
            wrong(&format!(
                "jwt = {{ keys_file = \"a\", issuer = \"{issuer}\" }}"
            )),
            "this is not an issuer"
        );
    }
}

#[test]
fn an_endpoint_is_http_without_a_password() {
    for url in [
        "ftp://a/b",
        "a/b",
        "https://user:hunter2@a/b",
        "unix:/run/a",
    ] {
        let said = wrong(&format!("lookup = {{ url = \"{url}\" }}"));
        assert_eq!(said, "this is not the address of an endpoint");
        let said = wrong(&format!("jwt = {{ jwks_url = \"{url}\", issuer = \"i\" }}"));
        assert_eq!(said, "this is not the address of an endpoint");
    }
}

#[test]
fn a_lookup_has_the_figures_that_are_documented() {
    let lookups = settings("[identity]\nlookup = { url = \"https://a/b\" }\n");
    let lookups = lookups.identity.lookups;
    let seconds = |span: aforo_core::Span| span.as_micros() / 1_000_000;
    assert_eq!(seconds(lookups.timeout), 1);
    assert_eq!(seconds(lookups.cache), 30);
    assert_eq!(seconds(lookups.cache_unknown), 5);
    assert_eq!(seconds(lookups.stale), 3_600);
    assert_eq!((lookups.max_known, lookups.max_unknown), (65_536, 16_384));
    assert_eq!(lookups.on_failure, OnLookupFailure::Anonymous);
    let denying = settings("[identity]\nlookup = { on_failure = \"deny\" }\n");
    assert_eq!(denying.identity.lookups.on_failure, OnLookupFailure::Deny);
    assert_eq!(
        wrong("lookup = { token = { env = \"T\" } }"),
        "a `token` for no `url`"
    );
    for zero in ["timeout = \"0s\"", "cache = \"0s\"", "max_known = 0"] {
        wrong(&format!("lookup = {{ url = \"https://a/b\", {zero} }}"));
    }
}
