//! Consumers behind signed tokens.

mod keys;
mod published;

use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::hmac;
use serde_json::{Value, json};

use crate::support::{Bench, START, Seen, bench, get, with};

const PEER: &str = "192.0.2.1";
const SECRET: &str = "a secret of more than thirty-two bytes";
const ISSUER: &str = "https://issuer.example";

const PLANS: &str = r#"
    [plans.anonymous]
    policies = ["1000/minute fixed-window"]
    [plans.pro]
    policies = ["3/minute fixed-window"]
    [plans.free]
    policies = ["2/minute fixed-window"]
"#;

/// A file in the folder for temporary ones.
fn file(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("aforo-jwt-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// A limiter that believes tokens; `keys` and `more` are fields of `jwt`.
fn with_jwt(keys: &str, more: &str, rest: &str) -> Bench {
    bench(&format!(
        "{PLANS}\n[identity]\ndefault_plan = \"free\"\n[identity.jwt]\n{keys}\n\
         issuer = \"{ISSUER}\"\nplan = \"plan\"\n{more}\n{rest}"
    ))
}

fn by_secret(name: &str, more: &str, rest: &str) -> Bench {
    let path = file(name, SECRET);
    with_jwt(&format!("secret = {{ file = {path:?} }}"), more, rest)
}

fn encoded(value: &Value) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(value.to_string())
}

fn signed(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let text = format!("{}.{}", encoded(header), encoded(claims));
    let signature = BASE64_URL_SAFE_NO_PAD.encode(sign(text.as_bytes()));
    format!("{text}.{signature}")
}

fn mac(text: &[u8], secret: &[u8]) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    hmac::sign(&key, text).as_ref().to_vec()
}

fn hs256(claims: &Value) -> String {
    signed(&json!({"alg": "HS256", "typ": "JWT"}), claims, |text| {
        mac(text, SECRET.as_bytes())
    })
}

/// Claims that hold, changed by `with`.
fn claims(with: &Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER, "sub": "acme", "plan": "pro", "exp": START + 3_600,
    });
    for (name, value) in with.as_object().unwrap() {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims
}

async fn send(bench: &Bench, token: &str) -> Seen {
    let request = with(get("/"), "authorization", &format!("Bearer {token}"));
    bench.send(PEER, request).await
}

async fn plan(bench: &Bench, token: &str) -> String {
    let seen = send(bench, token).await;
    let policy = seen.field("x-ratelimit-policy").unwrap();
    policy.split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_token_names_its_consumer_and_plan_whatever_address_or_token_it_has() {
    let bench = by_secret("names", "", "");
    let mut codes = Vec::new();
    for (number, peer) in ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"]
        .iter()
        .enumerate()
    {
        let token = hs256(&claims(&json!({"jti": number})));
        let request = with(get("/"), "authorization", &format!("bearer {token}"));
        codes.push(bench.send(peer, request).await.code());
    }
    assert_eq!(codes, [200, 200, 200, 429]);
    let other = hs256(&claims(&json!({"sub": "globex"})));
    assert_eq!(send(&bench, &other).await.code(), 200);
}

#[tokio::test]
async fn rl_15_a_token_that_does_not_verify_opens_no_bucket() {
    let text = PLANS.replace("1000/minute", "5/minute");
    let path = file("rl15", SECRET);
    let bench = bench(&format!(
        "{text}\n[identity]\ndefault_plan = \"free\"\n[identity.jwt]\n\
         secret = {{ file = {path:?} }}\nissuer = \"{ISSUER}\"\n"
    ));
    let mut codes = Vec::new();
    for number in 0..7 {
        // Unsigned, alg none in each spelling, signed with another secret, cut, of two parts.
        let subject = claims(&json!({"sub": format!("user-{number}")}));
        let token = match number {
            0 => signed(&json!({"alg": "none"}), &subject, |_| Vec::new()),
            1 => signed(&json!({"alg": "None"}), &subject, |_| Vec::new()),
            2 => signed(&json!({"alg": "HS256"}), &subject, |_| Vec::new()),
            3 => signed(&json!({"alg": "HS256"}), &subject, |text| {
                mac(text, b"guessed")
            }),
            4 => hs256(&subject)[..60].to_owned(),
            5 => signed(&json!({}), &subject, |_| Vec::new()),
            _ => format!("{}.", hs256(&subject)),
        };
        let seen = send(&bench, &token).await;
        codes.push(seen.code());
        if seen.code() == 429 {
            assert_eq!(seen.problem()["credential"], "unrecognised");
        }
    }
    assert_eq!(codes, [200, 200, 200, 200, 200, 429, 429]);
}

#[tokio::test]
async fn every_claim_holds() {
    let bench = by_secret("claims", "audience = [\"api\", \"other\"]", "");
    let good = json!({"aud": "api"});
    assert_eq!(plan(&bench, &hs256(&claims(&good))).await, "pro");
    let list = json!({"aud": ["somebody", "other"]});
    assert_eq!(plan(&bench, &hs256(&claims(&list))).await, "pro");
    for wrong in [
        json!({}),
        json!({"aud": "somebody"}),
        json!({"aud": []}),
        json!({"aud": "api", "iss": "https://issuer.example.org"}),
        json!({"aud": "api", "iss": null}),
        json!({"aud": "api", "exp": null}),
        json!({"aud": "api", "exp": "2100-01-01"}),
        json!({"aud": "api", "exp": -1}),
        json!({"aud": "api", "exp": START}),
        json!({"aud": "api", "nbf": START + 1}),
        json!({"aud": "api", "nbf": "soon"}),
        json!({"aud": "api", "sub": null}),
        json!({"aud": "api", "sub": ""}),
        json!({"aud": "api", "sub": {"a": 1}}),
        json!({"aud": "api", "sub": "x".repeat(300)}),
    ] {
        assert_eq!(
            plan(&bench, &hs256(&claims(&wrong))).await,
            "anonymous",
            "{wrong}"
        );
    }
    let unlimited = by_secret("aud", "", "");
    assert_eq!(plan(&unlimited, &hs256(&claims(&good))).await, "anonymous");
    let crit = signed(
        &json!({"alg": "HS256", "crit": ["b64"], "b64": true}),
        &claims(&json!({})),
        |text| mac(text, SECRET.as_bytes()),
    );
    assert_eq!(plan(&unlimited, &crit).await, "anonymous");
}

#[tokio::test]
async fn a_token_ends_and_begins_while_it_is_remembered() {
    let bench = by_secret("ends", "", "");
    let token = hs256(&claims(&json!({"nbf": START + 5, "exp": START + 10})));
    for (millis, expected) in [
        (0, "anonymous"),
        (4_999, "anonymous"),
        (5_000, "pro"),
        (9_999, "pro"),
        (10_000, "anonymous"),
    ] {
        bench.at(millis);
        assert_eq!(plan(&bench, &token).await, expected, "{millis}");
    }
    let lenient = by_secret("leeway", "leeway = \"2s\"", "");
    for (millis, expected) in [(2_999, "anonymous"), (3_000, "pro"), (11_999, "pro")] {
        lenient.at(millis);
        assert_eq!(plan(&lenient, &token).await, expected, "{millis}");
    }
    lenient.at(12_000);
    assert_eq!(plan(&lenient, &token).await, "anonymous");
}

#[tokio::test]
async fn a_subject_is_no_consumer_of_the_file_unless_the_file_says_so() {
    let named = |id: &str| {
        format!(
            "[[consumers]]\nid = \"{id}\"\nplan = \"free\"\noverrides = [{{ policy = \"free-minute\", quota = \"9/minute fixed-window\" }}]\n"
        )
    };
    let token = hs256(&claims(&json!({"plan": null})));
    let limit = async |bench: &Bench| {
        let seen = send(bench, &token).await;
        seen.field("x-ratelimit-limit").unwrap().to_owned()
    };
    assert_eq!(limit(&by_secret("sub", "", &named("acme"))).await, "2");
    let whole = named("https://issuer.example|acme");
    assert_eq!(limit(&by_secret("whole", "", &whole)).await, "9");
}

#[tokio::test]
async fn api_keys_and_tokens_share_a_header_and_the_configured_order() {
    let consumer = r#"
        [[consumers]]
        id = "file"
        plan = "free"
        api_key_sha256 = ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]
    "#;
    let path = file("shared", SECRET);
    let bench = bench(&format!(
        "{PLANS}\n{consumer}\n[identity]\napi_key = {{ header = \"authorization\", scheme = \"Bearer\" }}\n\
         jwt = {{ secret = {{ file = {path:?} }}, issuer = \"{ISSUER}\", plan = \"plan\" }}\n"
    ));
    assert_eq!(plan(&bench, "test").await, "free");
    assert_eq!(plan(&bench, &hs256(&claims(&json!({})))).await, "pro");
    assert_eq!(plan(&bench, "neither").await, "anonymous");
    // The key comes first when both verify; a bad key beside a good token picks no bucket.
    let both = by_secret("both", "", consumer);
    let token = format!("Bearer {}", hs256(&claims(&json!({}))));
    let code = async |key: &str| {
        let request = with(with(get("/"), "authorization", &token), "x-api-key", key);
        let seen = both.send(PEER, request).await;
        seen.field("x-ratelimit-limit").unwrap().to_owned()
    };
    assert_eq!(code("test").await, "2");
    assert_eq!(code("rotated-1").await, "3");
    assert_eq!(code("rotated-2").await, "3");
}

#[tokio::test]
async fn two_tokens_in_two_lines_are_none() {
    let bench = by_secret("twice", "", "");
    let token = format!("Bearer {}", hs256(&claims(&json!({}))));
    let request = with(
        with(get("/"), "authorization", &token),
        "authorization",
        &token,
    );
    let seen = bench.send(PEER, request).await;
    assert_eq!(seen.field("x-ratelimit-limit"), Some("1000"));
}

#[tokio::test]
async fn policies_count_by_claims() {
    let bench = by_secret(
        "claim",
        "",
        "[policies.tenant]\nquota = \"2/minute fixed-window\"\npartition_by = [\"jwt:tenant\"]\n\
         [[groups]]\nmatch = \"/{*all}\"\npolicies = [\"@tenant\"]\n",
    );
    let mut codes = Vec::new();
    for (subject, tenant) in [("a", "one"), ("b", "one"), ("c", "one"), ("d", "two")] {
        let token = hs256(&claims(&json!({"sub": subject, "tenant": tenant})));
        codes.push(send(&bench, &token).await.code());
    }
    assert_eq!(codes, [200, 200, 429, 200]);
}

#[tokio::test]
async fn a_401_asks_for_a_bearer_token() {
    let path = file("401", SECRET);
    let bench = bench(&format!(
        "{PLANS}\n[identity]\nanonymous = \"deny\"\napi_key = []\n\
         jwt = {{ secret = {{ file = {path:?} }}, issuer = \"{ISSUER}\" }}\n"
    ));
    let seen = bench.send(PEER, get("/")).await;
    assert_eq!(seen.code(), 401);
    assert_eq!(seen.field("www-authenticate"), Some("Bearer realm=\"api\""));
}
