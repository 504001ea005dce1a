//! The keys that tokens are signed with, and what each is for.

use aforo::Limiter;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaKeyPair,
};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;
use serde_json::{Value, json};

use super::{ISSUER, PLANS, SECRET, claims, data, file, mac, plan, signed, with_jwt};
use crate::support::{bench, settings};

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

pub(super) fn rs256(claims: &Value, header: &Value) -> String {
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

/// Made by OpenSSL with the other half of `data/ed25519-public.pem`; it ends in 2100.
const EDDSA: &str = "eyJhbGciOiJFZERTQSJ9.\
    eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwic3ViIjoiYWNtZSIsInBsYW4iOiJwcm8iLCJleHAiOjQxMDI0NDQ4MDB9.\
    BZzFFapVZLngAxPBMjJfypWf9SkXNqdV-uH9WqQyssfWgjZmae3iu1A-opnkuQJjMqn3IDUKfUtw0U1nd81xBA";

/// The same with that of `data/p384-public.pem`.
const ES384: &str = "eyJhbGciOiJFUzM4NCJ9.\
    eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwic3ViIjoiYWNtZSIsInBsYW4iOiJwcm8iLCJleHAiOjQxMDI0NDQ4MDB9.\
    RHJslyA9ju80I5WyfPpqKgnUKrPtEODtmUmfGE01ufpZLXgtfZisR2pZHEph-tKWE8f3-HwUblYuR5He16Qdve7AXOnU4YVeGV-pJllYnFwMwCY6NF1NyPVhpexMFDRH";

#[tokio::test]
async fn ed25519_and_p384_keys_in_pem_or_a_set_are_for_eddsa_and_es384() {
    let ed25519 = json!({"kty": "OKP", "crv": "Ed25519", "use": "sig",
        "x": "DOruuWKZQBiwU9oJ5HafE9cakqv1jCsUE4HGpSUIacU"});
    let p384 = json!({"kty": "EC", "crv": "P-384",
        "x": "cgWdyrrXz0UVM1AfIZInKTqs6zdnEI8U0zIKTgZNnrhwD_j6Va0o-hZdm5gAUhp2",
        "y": "6G80YHWEA6xjiWghdgudo9AsABPIwJ2Fd5pwJK4OtFIquVHBCmnasrHfzGnPvOdg"});
    let both = json!({"keys": [p384, ed25519]}).to_string();
    let set = with_jwt(&format!("keys_file = {:?}", file("set", &both)), "", "");
    for (token, pem) in [(EDDSA, "ed25519-public.pem"), (ES384, "p384-public.pem")] {
        let by_pem = with_jwt(&format!("keys_file = {:?}", data(pem)), "", "");
        assert_eq!(plan(&by_pem, token).await, "pro", "{pem}");
        assert_eq!(plan(&set, token).await, "pro", "{pem}");
        // A bit of the signature, and its halves exchanged.
        let (text, signature) = token.rsplit_once('.').unwrap();
        let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(signature).unwrap();
        bytes[7] ^= 1;
        let changed = BASE64_URL_SAFE_NO_PAD.encode(&bytes);
        assert_eq!(plan(&set, &format!("{text}.{changed}")).await, "anonymous");
        bytes[7] ^= 1;
        bytes.rotate_left(1);
        let turned = BASE64_URL_SAFE_NO_PAD.encode(&bytes);
        assert_eq!(plan(&set, &format!("{text}.{turned}")).await, "anonymous");
    }
    // Each signature with the other's header.
    let (eddsa, es384) = (
        EDDSA.split('.').next().unwrap(),
        ES384.split('.').next().unwrap(),
    );
    for (token, header) in [(EDDSA, es384), (ES384, eddsa)] {
        let (_, rest) = token.split_once('.').unwrap();
        assert_eq!(plan(&set, &format!("{header}.{rest}")).await, "anonymous");
    }
    let p384 = with_jwt(
        &format!("keys_file = {:?}", data("p384-public.pem")),
        "",
        "",
    );
    assert_eq!(plan(&p384, EDDSA).await, "anonymous");
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
