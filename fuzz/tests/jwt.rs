//! JSON Web Tokens: never panics, and no other token than the signed one is believed.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use aforo::{Admission, Limiter, ProcessEnvironment};
use aforo_policy::Settings;
use bytes::Bytes;
use http::{HeaderValue, Request, header};
use http_body_util::Full;

const SECRET: &str = "a secret of more than thirty-two bytes";

/// The parts of tokens: headers with HS256, none and RS256, claims of acme and of root until 2100,
/// and the signature of the first header and acme's claims, made with openssl.
const HEADER: &str = "eyJhbGciOiJIUzI1NiJ9";
const CLAIMS: &str = "eyJpc3MiOiJqb2UiLCJzdWIiOiJhY21lIiwiZXhwIjo0MTAyNDQ0ODAwfQ";
const SIGNATURE: &str = "P8nJObSxXCgrfIHSEltCWpLHs5Wuj07SgTWtPto07Xg";
const TOKENS: [&str; 16] = [
    HEADER,
    CLAIMS,
    SIGNATURE,
    ".",
    "eyJhbGciOiJub25lIn0",
    "eyJhbGciOiJSUzI1NiJ9",
    "eyJpc3MiOiJqb2UiLCJzdWIiOiJyb290IiwiZXhwIjo0MTAyNDQ0ODAwfQ",
    "Bearer ",
    "bearer ",
    "=",
    "eyJ",
    "e30",
    "AA",
    " ",
    ",",
    "..",
];

/// Callers without a token that is believed get 401.
fn limiter() -> Limiter {
    let path = std::env::temp_dir().join(format!("aforo-fuzz-jwt-{}", std::process::id()));
    std::fs::write(&path, SECRET).expect("a file for the secret");
    let text = format!(
        "[identity]\nanonymous = \"deny\"\n         jwt = {{ secret = {{ file = {path:?} }}, issuer = \"joe\" }}\n"
    );
    let settings = Settings::parse("fuzz.toml", &text, &ProcessEnvironment).expect("a right file");
    let limiter = Limiter::from_settings(settings).expect("a limiter");
    let _ = std::fs::remove_file(path);
    limiter
}

/// Whether a token in Authorization is believed; `None` when it cannot be sent.
fn is_believed(limiter: &Limiter, value: &[u8]) -> Option<bool> {
    let mut request = Request::new(Full::<Bytes>::default());
    let value = HeaderValue::from_bytes(value).ok()?;
    request.headers_mut().insert(header::AUTHORIZATION, value);
    match pin!(limiter.admit(request, None)).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(admission) => Some(matches!(admission, Admission::Pass(..))),
        Poll::Pending => panic!("nothing has to be waited for"),
    }
}

#[test]
fn jwt_believes_only_the_signed_token() {
    let limiter = AssertUnwindSafe(limiter());
    let good = format!("{HEADER}.{CLAIMS}.{SIGNATURE}");
    let sent = format!("Bearer {good}");
    assert_eq!(is_believed(&limiter, sent.as_bytes()), Some(true));
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let value = aforo_fuzz::sentence(&TOKENS, bytes);
            for value in [value.clone(), format!("Bearer {value}")] {
                if is_believed(&limiter, value.as_bytes()) == Some(true) {
                    let token = value.trim_matches([' ', '\t']).split_once(' ');
                    let token = token.map(|(_, token)| token.trim_start_matches([' ', '\t']));
                    assert_eq!(token, Some(good.as_str()), "{value:?} was believed");
                }
            }
            // The good token, changed in one place.
            if let [place, byte, ..] = bytes {
                let mut changed = sent.clone().into_bytes();
                let place = usize::from(*place) % changed.len();
                if let Some(there) = changed.get_mut(place).filter(|there| **there != *byte) {
                    *there = *byte;
                    let spelled = String::from_utf8_lossy(&changed).to_lowercase();
                    let scheme_only = spelled.starts_with("bearer ") && place < 6
                        || changed.get(6) == Some(&b'\t');
                    assert!(scheme_only || is_believed(&limiter, &changed) != Some(true));
                }
            }
        });
}
