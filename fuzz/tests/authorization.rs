//! Authorization: never panics, and nothing but the one right spelling of a key is a consumer.

use std::sync::Arc;

use aforo::identity::{ApiKeys, Identified};
use aforo_policy::{Consumer, CredentialSource, Identity};
use http::{HeaderMap, HeaderValue, header};

const TOKENS: [&str; 14] = [
    "Bearer", "bearer", "BEARER", "Basic", " ", "  ", "\t", ",", "=", "test", "Test", "te", "st",
    "\"",
];

/// SHA-256 of `test`.
const TEST: [u8; 32] = [
    0x9f, 0x86, 0xd0, 0x81, 0x88, 0x4c, 0x7d, 0x65, 0x9a, 0x2f, 0xea, 0xa0, 0xc5, 0x5a, 0xd0, 0x15,
    0xa3, 0xbf, 0x4f, 0x1b, 0x2b, 0x0b, 0x82, 0x2c, 0xd1, 0x5d, 0x6c, 0x15, 0xb0, 0xf0, 0x0a, 0x08,
];

fn acme() -> Arc<Consumer> {
    Arc::new(Consumer {
        id: "acme".to_owned(),
        plan: None,
        team: None,
        org: None,
        contact: None,
        api_key_sha256: vec![TEST],
        overrides: Vec::new(),
    })
}

/// Scheme without case, spaces, the key, nothing else.
fn is_right(value: &str) -> bool {
    let Some((scheme, rest)) = value.split_once(' ') else {
        return false;
    };
    scheme.eq_ignore_ascii_case("bearer") && rest.trim_matches(' ') == "test"
}

#[test]
fn authorization_verifies_only_the_right_key() {
    let consumer = acme();
    let keys = ApiKeys::new([&consumer]);
    let source = CredentialSource {
        header: header::AUTHORIZATION,
        scheme: Some("Bearer".to_owned()),
    };
    let identity = Identity {
        api_key: vec![source],
        ..Identity::default()
    };
    let verified = |value: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::AUTHORIZATION,
            HeaderValue::from_bytes(value.as_bytes()).ok()?,
        );
        Some(matches!(
            Identified::of(&headers, false, &identity, &keys),
            Identified::Verified(_)
        ))
    };
    assert_eq!(verified("Bearer test"), Some(true));
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let value = aforo_fuzz::sentence(&TOKENS, bytes);
            if verified(&value) == Some(true) {
                assert!(
                    is_right(value.trim_matches([' ', '\t'])),
                    "{value:?} was taken for a key"
                );
            }
        });
}
