use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::*;

fn consumer(id: &str, keys: &[&str]) -> Arc<Consumer> {
    Arc::new(Consumer {
        api_key_sha256: keys.iter().map(|key| Sha256::digest(key).into()).collect(),
        ..outside_the_file(id)
    })
}

fn keys() -> ApiKeys {
    ApiKeys::new(&[
        consumer("acme", &["acme-key-1", "acme-key-2"]),
        consumer("globex", &["globex-key"]),
    ])
}

fn source(header: &'static str, scheme: Option<&str>) -> CredentialSource {
    CredentialSource {
        header: HeaderName::from_static(header),
        scheme: scheme.map(str::to_owned),
    }
}

/// Bearer first, then x-api-key; ids of trusted peers in x-consumer.
fn identity() -> Identity {
    Identity {
        api_key: vec![
            source("authorization", Some("Bearer")),
            source("x-api-key", None),
        ],
        verified_header: Some(HeaderName::from_static("x-consumer")),
        ..Identity::default()
    }
}

fn told(who: &Identified) -> &str {
    match who {
        Identified::Absent => "absent",
        Identified::Unrecognised => "unrecognised",
        Identified::Unverified => "unverified",
        Identified::Verified(consumer) => &consumer.id,
    }
}

fn sent_by(lines: &[(&'static str, &str)], peer_trusted: bool) -> String {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(*name, HeaderValue::from_str(value).unwrap());
    }
    told(&Identified::of(
        &headers,
        peer_trusted,
        &identity(),
        &keys(),
    ))
    .to_owned()
}

fn sent(lines: &[(&'static str, &str)]) -> String {
    sent_by(lines, false)
}

#[test]
fn rl_15_unknown_bearers_are_anonymous_and_open_no_bucket_of_their_own() {
    for n in 0..6 {
        let bearer = format!("Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.{n}");
        assert_eq!(sent(&[("authorization", &bearer)]), "unrecognised");
    }
    assert_eq!(sent(&[("authorization", "Bearer alice")]), "unrecognised");
    assert_eq!(sent(&[("authorization", "Bearer acme")]), "unrecognised");
    assert_eq!(sent(&[]), "absent");
}

#[test]
fn rl_18_a_second_unverified_credential_changes_nothing() {
    let alone = sent(&[("authorization", "Bearer acme-key-1")]);
    assert_eq!(alone, "acme");
    for n in 1..=30 {
        let other = format!("k-{n}");
        let both = [
            ("authorization", "Bearer acme-key-1"),
            ("x-api-key", &other),
        ];
        assert_eq!(sent(&both), "acme");
    }
    assert_eq!(
        sent(&[
            ("authorization", "Bearer wrong"),
            ("x-api-key", "globex-key")
        ]),
        "globex",
        "the first that verifies"
    );
    assert_eq!(
        sent(&[
            ("x-api-key", "globex-key"),
            ("authorization", "Bearer acme-key-2")
        ]),
        "acme",
        "in the configured order, not the request's"
    );
}

#[test]
fn a_scheme_has_no_case_and_exactly_one_token() {
    for value in [
        "Bearer acme-key-1",
        "bearer acme-key-1",
        "BEARER   acme-key-1",
        "Bearer\tacme-key-1 ",
    ] {
        assert_eq!(sent(&[("authorization", value)]), "acme", "{value}");
    }
    for value in [
        "Bearer",
        "Bearer ",
        "Bearer acme-key-1 acme-key-2",
        "Bearer acme-key-1, Bearer acme-key-1",
        "Bearer acme-key-1,",
        "Bearer ACME-KEY-1",
    ] {
        assert_eq!(sent(&[("authorization", value)]), "unrecognised", "{value}");
    }
    for value in [
        "Basic YWNtZQ==",
        "acme-key-1",
        "Bearerx acme-key-1",
        "Bearer,acme-key-1",
        "",
    ] {
        assert_eq!(sent(&[("authorization", value)]), "absent", "{value}");
    }
}

#[test]
fn a_credential_that_comes_twice_is_unrecognised() {
    let twice = [("x-api-key", "acme-key-1"), ("x-api-key", "acme-key-1")];
    assert_eq!(sent(&twice), "unrecognised");
    let with_another = [twice[0], twice[1], ("authorization", "Bearer globex-key")];
    assert_eq!(sent(&with_another), "globex");
    let after_another = [
        ("authorization", "Bearer globex-key"),
        ("authorization", "Bearer globex-key"),
        ("x-api-key", "acme-key-1"),
    ];
    assert_eq!(sent(&after_another), "acme");
}

#[test]
fn a_bare_key_is_trimmed_and_taken_whole() {
    assert_eq!(sent(&[("x-api-key", " acme-key-1 ")]), "acme");
    assert_eq!(sent(&[("x-api-key", "")]), "unrecognised");
    assert_eq!(sent(&[("x-api-key", "Bearer acme-key-1")]), "unrecognised");
}

#[test]
fn only_a_trusted_peer_names_a_consumer() {
    let named = [("x-consumer", "acme")];
    assert_eq!(sent_by(&named, true), "acme");
    assert_eq!(sent_by(&named, false), "absent");
    assert_eq!(
        sent_by(&[("x-consumer", "beyond-the-file")], true),
        "beyond-the-file"
    );
    let long = "x".repeat(257);
    for id in ["", " ", &long] {
        assert_eq!(
            sent_by(&[("x-consumer", id)], true),
            "unrecognised",
            "{id:?}"
        );
    }
    let twice = [("x-consumer", "acme"), ("x-consumer", "globex")];
    assert_eq!(sent_by(&twice, true), "unrecognised");
    let with_key = [("x-api-key", "globex-key"), ("x-consumer", "acme")];
    assert_eq!(sent_by(&with_key, true), "globex");
    let with_bad_key = [("x-api-key", "wrong"), ("x-consumer", "acme")];
    assert_eq!(sent_by(&with_bad_key, true), "acme");
}

#[test]
fn rl_49_a_raw_key_appears_in_no_debug_text() {
    let identity = identity();
    let keys = keys();
    let mut headers = HeaderMap::new();
    headers.insert("x-api-key", HeaderValue::from_static("acme-key-1"));
    let who = Identified::of(&headers, false, &identity, &keys);
    let text = format!("{who:?} {keys:?} {identity:?}");
    assert!(text.contains("acme"));
    assert!(!text.contains("acme-key"));
}

proptest! {
    #[test]
    fn no_header_makes_it_panic_or_verifies_by_chance(
        values in proptest::collection::vec(
            (0_usize..3, proptest::collection::vec(any::<u8>(), 0..40)), 0..5),
    ) {
        let names = ["authorization", "x-api-key", "x-consumer"];
        let mut headers = HeaderMap::new();
        for (name, value) in values {
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                headers.append(names[name], value);
            }
        }
        let who = Identified::of(&headers, false, &identity(), &keys());
        prop_assert!(who.consumer().is_none());
    }
}
