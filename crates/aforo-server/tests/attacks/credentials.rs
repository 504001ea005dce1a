//! A stranger that shows credentials which are not its own, and a consumer that shows several.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::{FIVE, admitted, gateway, get};

const JWT: &str = r#"
api_key = [{ header = "x-api-key" }, { header = "authorization", scheme = "ApiKey" }]

[identity.jwt]
secret = { env = "AFORO_DEVICE_SECRET" }
issuer = "https://issuer.example"
"#;

fn token(header: &str, subject: usize, signature: &str) -> String {
    let claims = format!(
        r#"{{"iss":"https://issuer.example","sub":"somebody-{subject}","exp":4102444800}}"#
    );
    let [header, claims] = [header, claims.as_str()].map(|part| URL_SAFE_NO_PAD.encode(part));
    format!("{header}.{claims}.{signature}")
}

fn bearer(token: &str) -> String {
    get(&format!("authorization: Bearer {token}\r\n"))
}

#[test]
fn made_up_keys_are_one_address() {
    let program = gateway("", "");
    let requests = (0..20).map(|n| get(&format!("x-api-key: aforo_{n}_made_up\r\n")));
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
}

#[test]
fn made_up_tokens_are_one_address() {
    let program = gateway(JWT, "");
    let headers = [
        r#"{"alg":"none"}"#,
        r#"{"alg":"None","typ":"JWT"}"#,
        r#"{"alg":"HS256","typ":"JWT"}"#,
        r#"{"alg":"RS256","kid":"1"}"#,
        r#"{"alg":"HS256","jwk":{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}}"#,
        r#"{"alg":"HS256","jku":"http://127.0.0.1:1/keys"}"#,
        r#"{"alg":"ES256","crit":["exp"]}"#,
    ];
    // ECDSA's (0, 0) was once believed by a large library.
    let signatures = [
        "",
        "AAAA",
        &URL_SAFE_NO_PAD.encode([0; 64]),
        &URL_SAFE_NO_PAD.encode([0; 32]),
    ];
    let tokens = (0..28).map(|n| bearer(&token(headers[n % 7], n, signatures[n / 7])));
    assert_eq!(admitted(&mut program.client(), tokens), FIVE);
}

#[test]
fn credentials_of_other_kinds_are_one_address() {
    let program = gateway(JWT, "");
    let requests = (0..20).map(|n| {
        let login = base64::engine::general_purpose::STANDARD.encode(format!("user{n}:password"));
        get(&match n % 5 {
            0 => format!("authorization: Basic {login}\r\n"),
            1 => format!("authorization: Bearer {n}\r\n"),
            2 => format!("authorization: bearer  {n} {n}\r\n"),
            3 => format!("authorization: ApiKey {n}\r\nauthorization: Bearer {n}\r\n"),
            _ => format!("cookie: session={n}\r\nx-user-id: {n}\r\nx-consumer-id: {n}\r\n"),
        })
    });
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
}

#[test]
fn a_consumer_with_a_second_credential_is_the_same_consumer() {
    let program = gateway(JWT, "");
    let requests = (0..20).map(|n| {
        get(&match n % 4 {
            0 => format!("x-api-key: test\r\nauthorization: Bearer {n}\r\n"),
            1 => format!("authorization: ApiKey test\r\nx-api-key: {n}\r\n"),
            2 => format!("authorization: APIKEY   test\r\nx-user: {n}\r\n"),
            _ => format!("X-API-KEY:  test \r\nx-consumer-id: {n}\r\n"),
        })
    });
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
}

#[test]
fn a_key_that_is_there_twice_is_nobodys() {
    let program = gateway("", "");
    let requests = (0..20).map(|n| match n % 2 {
        0 => get(&format!("x-api-key: test\r\nx-api-key: {n}\r\n")),
        _ => get("x-api-key: test\r\nx-api-key: test\r\n"),
    });
    assert_eq!(admitted(&mut program.client(), requests), FIVE);
    let requests = (0..20).map(|_| get("x-api-key: test\r\n"));
    assert_eq!(
        admitted(&mut program.client(), requests),
        FIVE,
        "what strangers did with its key cost acme nothing"
    );
}
