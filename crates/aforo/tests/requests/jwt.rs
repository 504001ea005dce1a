//! Consumers behind signed tokens.

use std::path::PathBuf;

use aforo::Limiter;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaKeyPair,
};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;
use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::support::{Bench, START, Seen, bench, get, settings, with};

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
async fn a_public_key_is_never_taken_for_a_secret() {
    let public = std::fs::read(data("rsa-public.pem")).unwrap();
    let keys = format!("keys_file = {:?}", data("rsa-public.pem"));
    let bench = with_jwt(&keys, "", "");
    for secret in [public.as_slice(), public.trim_ascii()] {
        for alg in ["HS256", "hs256", "RS256"] {
            let token = signed(&json!({"alg": alg}), &claims(&json!({})), |text| {
                mac(text, secret)
            });
            assert_eq!(plan(&bench, &token).await, "anonymous", "{alg}");
        }
    }
    // Nor does a token bring its key along.
    let jwk = json!({"kty": "oct", "k": BASE64_URL_SAFE_NO_PAD.encode(SECRET)});
    let token = signed(
        &json!({"alg": "HS256", "jwk": jwk}),
        &claims(&json!({})),
        |text| mac(text, SECRET.as_bytes()),
    );
    assert_eq!(plan(&bench, &token).await, "anonymous");
}

fn rs256(claims: &Value, header: &Value) -> String {
    let der = PrivatePkcs8KeyDer::from_pem_file(data("rsa-private.pem")).unwrap();
    let key = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap();
    let pss = header["alg"] == "PS256";
    signed(header, claims, |text| {
        let mut signature = vec![0; key.public().modulus_len()];
        let random = SystemRandom::new();
        match pss {
            true => key.sign(&RSA_PSS_SHA256, &random, text, &mut signature),
            false => key.sign(&RSA_PKCS1_SHA256, &random, text, &mut signature),
        }
        .unwrap();
        signature
    })
}

#[tokio::test]
async fn rsa_keys_in_pem_are_for_rs256_unless_said_otherwise() {
    let keys = format!("keys_file = {:?}", data("rsa-public.pem"));
    let usual = with_jwt(&keys, "", "");
    let said = with_jwt(&keys, "algorithms = [\"PS256\"]", "");
    let rs = rs256(&claims(&json!({})), &json!({"alg": "RS256"}));
    let ps = rs256(&claims(&json!({})), &json!({"alg": "PS256"}));
    assert_eq!(plan(&usual, &rs).await, "pro");
    assert_eq!(plan(&usual, &ps).await, "anonymous");
    assert_eq!(plan(&said, &ps).await, "pro");
    assert_eq!(plan(&said, &rs).await, "anonymous");
}

#[tokio::test]
async fn p256_keys_in_pem_are_for_es256() {
    let bench = with_jwt(
        &format!("keys_file = {:?}", data("p256-public.pem")),
        "",
        "",
    );
    let der = PrivatePkcs8KeyDer::from_pem_file(data("p256-private.pem")).unwrap();
    let random = SystemRandom::new();
    let key = EcdsaKeyPair::from_pkcs8(
        &ECDSA_P256_SHA256_FIXED_SIGNING,
        der.secret_pkcs8_der(),
        &random,
    )
    .unwrap();
    let token = signed(&json!({"alg": "ES256"}), &claims(&json!({})), |text| {
        key.sign(&random, text).unwrap().as_ref().to_vec()
    });
    assert_eq!(plan(&bench, &token).await, "pro");
    let (head, signature) = token.rsplit_once('.').unwrap();
    let zero = BASE64_URL_SAFE_NO_PAD.encode([0; 64]);
    assert_eq!(plan(&bench, &format!("{head}.{zero}")).await, "anonymous");
    assert_eq!(
        plan(&bench, &format!("{head}.{}", &signature[2..])).await,
        "anonymous"
    );
}

/// RFC 7515, appendix A.3: an ES256 token of "joe" that ended in March 2011, and its key.
#[tokio::test]
async fn the_example_of_rfc_7515_verifies_until_it_ends() {
    let token = "eyJhbGciOiJFUzI1NiJ9.\
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
        DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    let set = file(
        "rfc7515",
        r#"{"keys": [{"kty": "other"}, {"kty": "EC", "crv": "P-256",
            "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#,
    );
    let bench = bench(&format!(
        "{PLANS}\n[identity]\ndefault_plan = \"free\"\n[identity.jwt]\nkeys_file = {set:?}\n\
         issuer = \"joe\"\nconsumer = \"http://example.com/is_root\"\n"
    ));
    let clock = |seconds| {
        bench
            .clock
            .set(aforo::core::Timestamp::from_seconds(seconds))
    };
    clock(1_300_819_379);
    assert_eq!(plan(&bench, token).await, "free");
    clock(1_300_819_380);
    assert_eq!(plan(&bench, token).await, "anonymous");
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

#[test]
fn a_short_secret_and_a_file_without_keys_are_refused() {
    for (keys, expected) in [
        (
            format!("secret = {{ file = {:?} }}", file("short", "hunter2")),
            "too short",
        ),
        (
            format!("keys_file = {:?}", file("empty", "nothing")),
            "no key",
        ),
        ("keys_file = \"/nowhere/keys\"".to_owned(), "not there"),
    ] {
        let text = format!("{PLANS}\n[identity]\njwt = {{ {keys}, issuer = \"{ISSUER}\" }}");
        let error = Limiter::builder().settings(settings(&text)).build();
        let error = error.err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("hunter2"));
    }
}

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

#[tokio::test]
async fn an_endpoint_says_whose_a_key_is() {
    let answer = json!({"consumer": "acme", "plan": "pro", "overrides": [
        {"policy": "pro-minute", "quota": "8/minute fixed-window", "until": START + 60},
    ], "unknown": [1]});
    let endpoint = Endpoint::start(200, answer.to_string()).await;
    let token = file("token", "endpoint-token\n");
    let bench = bench(&format!(
        "{PLANS}\n[identity]\nlookup = {{ url = {:?}, token = {{ file = {token:?} }} }}\n",
        endpoint.url
    ));
    let send = async |key: &str| bench.send(PEER, with(get("/"), "x-api-key", key)).await;
    for _ in 0..3 {
        assert_eq!(send("a-key").await.field("x-ratelimit-limit"), Some("8"));
    }
    let requests = endpoint.requests();
    assert_eq!(requests.len(), 1);
    assert!(
        requests[0].starts_with("POST /ask?me=1 HTTP/1.1\r\n"),
        "{}",
        requests[0]
    );
    assert!(
        requests[0]
            .to_lowercase()
            .contains("authorization: bearer endpoint-token\r\n")
    );
    assert!(
        requests[0].ends_with("\r\n\r\n{\"api_key\":\"a-key\"}"),
        "{}",
        requests[0]
    );

    endpoint.answers(404, "");
    assert_eq!(
        send("no-key").await.field("x-ratelimit-limit"),
        Some("1000")
    );
    let failures = [(500, ""), (401, ""), (200, "{}"), (200, "not JSON")];
    for (number, (status, body)) in failures.into_iter().enumerate() {
        endpoint.answers(status, body);
        let request = with(get("/"), "x-api-key", &format!("failing-{number}"));
        let seen = bench.send("192.0.2.9", request).await;
        assert_eq!(seen.code(), 200);
    }
    assert_eq!(endpoint.requests().len(), 6);
    assert_eq!(endpoint.connections(), 1, "connections are kept open");
}
