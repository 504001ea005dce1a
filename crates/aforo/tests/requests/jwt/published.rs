//! Keys of tokens that an endpoint publishes.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::signature::RsaKeyPair;
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;
use serde_json::{Value, json};

use super::keys::rs256;
use super::{ISSUER, PLANS, claims, data, plan, send, with_jwt};
use crate::endpoint::Endpoint;
use crate::support::bench;

/// The RSA key of the tests as a JWK.
fn jwk(id: &str) -> Value {
    let der = PrivatePkcs8KeyDer::from_pem_file(data("rsa-private.pem")).unwrap();
    let key = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap();
    let public: ring::rsa::PublicKeyComponents<Vec<u8>> = key.public().into();
    json!({
        "kty": "RSA", "use": "sig", "alg": "RS256", "kid": id,
        "n": BASE64_URL_SAFE_NO_PAD.encode(public.n), "e": BASE64_URL_SAFE_NO_PAD.encode(public.e),
    })
}

fn set(ids: &[&str]) -> String {
    let keys: Vec<Value> = ids.iter().map(|id| jwk(id)).collect();
    json!({ "keys": keys }).to_string()
}

fn by_key(id: &str, subject: &str) -> String {
    let header = json!({"alg": "RS256", "kid": id});
    rs256(&claims(&json!({"sub": subject})), &header)
}

#[tokio::test]
async fn published_keys_are_fetched_and_survive_an_outage() {
    let endpoint = Endpoint::start(200, set(&["one"])).await;
    let bench = with_jwt(&format!("jwks_url = {:?}", endpoint.url), "", "");
    for subject in ["a", "b", "c"] {
        assert_eq!(plan(&bench, &by_key("one", subject)).await, "pro");
    }
    assert_eq!(endpoint.requests().len(), 1);
    endpoint.answers(500, "");
    bench.at(301_000);
    assert_eq!(plan(&bench, &by_key("one", "d")).await, "pro");
    assert_eq!(endpoint.requests().len(), 2);
    assert_eq!(plan(&bench, &by_key("one", "e")).await, "pro");
    assert_eq!(endpoint.requests().len(), 2);
}

#[tokio::test]
async fn an_unknown_key_is_fetched_at_most_once_a_minute() {
    let endpoint = Endpoint::start(200, set(&["one"])).await;
    let bench = with_jwt(&format!("jwks_url = {:?}", endpoint.url), "", "");
    assert_eq!(plan(&bench, &by_key("one", "a")).await, "pro");
    for subject in 0..20 {
        let made_up = by_key(&format!("made-up-{subject}"), "a");
        assert_eq!(plan(&bench, &made_up).await, "anonymous");
    }
    assert_eq!(endpoint.requests().len(), 1);
    // A new key works as soon as it may be fetched, and the old one no longer.
    endpoint.answers(200, set(&["two"]));
    bench.at(60_000);
    assert_eq!(plan(&bench, &by_key("two", "a")).await, "pro");
    assert_eq!(plan(&bench, &by_key("one", "b")).await, "anonymous");
    assert_eq!(endpoint.requests().len(), 2);
}

#[tokio::test]
async fn without_any_keys_a_token_is_told_as_unverified() {
    let endpoint = Endpoint::start(503, "").await;
    let text = PLANS.replace("1000/minute", "1/minute");
    let bench = bench(&format!(
        "{text}\n[identity]\ndefault_plan = \"free\"\n\
         jwt = {{ jwks_url = {:?}, issuer = \"{ISSUER}\" }}\n",
        endpoint.url
    ));
    assert_eq!(send(&bench, &by_key("one", "a")).await.code(), 200);
    let denied = send(&bench, &by_key("one", "a")).await;
    assert_eq!(denied.problem()["credential"], "unverified");
    endpoint.answers(200, set(&["one"]));
    bench.at(5_000);
    assert_eq!(plan(&bench, &by_key("one", "a")).await, "free");
}
