//! What it costs to find out who is calling: a request with an API key, and one with a token that was
//! seen before, beside the same request of a stranger. All have one policy of the same figures.
//!
//! `identify` prints two rows; `identify --alone anonymous|key|token` is one round of one of them,
//! for profilers.
#![allow(clippy::print_stdout, reason = "rows go to standard output")]

use std::net::SocketAddr;
use std::time::Duration;

use aforo::Limiter;
use aforo_benches::admitted;
use aforo_benches::keys::HOT;
use aforo_benches::row::{Row, Target};
use aforo_benches::series::{Series, alternate};
use aforo_benches::{Failure, cpu};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::HeaderValue;
use http::header::AUTHORIZATION;
use http::request::Parts;
use ring::hmac;

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// How many rounds each side has.
const ROUNDS: usize = 9;

/// How many times all 64 callers are identified in a round.
const TURNS: usize = 512;

/// The most nanoseconds that an API key may cost.
const MOST: f64 = 150.0;

const SECRET: &str = "a secret of more than thirty-two bytes";

/// What a request shows.
#[derive(Clone, Copy)]
enum Shows {
    Nothing,
    ApiKey,
    Token,
}

fn main() -> Result<(), Failure> {
    let limiter = limiter()?;
    let tokens = (0..HOT).map(token).collect::<Result<Vec<_>, _>>()?;
    let nanoseconds = |shows| identified(&limiter, &tokens, shows);
    let mut arguments = std::env::args().skip_while(|argument| argument != "--alone");
    if arguments.next().is_some() {
        let shows = match arguments.next().as_deref() {
            Some("key") => Shows::ApiKey,
            Some("token") => Shows::Token,
            _ => Shows::Nothing,
        };
        println!("{:.1} ns", nanoseconds(shows)?);
        return Ok(());
    }
    let [stranger, keyed, token] = alternate(
        ROUNDS,
        [
            &mut || nanoseconds(Shows::Nothing),
            &mut || nanoseconds(Shows::ApiKey),
            &mut || nanoseconds(Shows::Token),
        ],
    )?;
    let key = "identify: a decision with an API key, beside a stranger's";
    println!("{}", row(key, &keyed, &stranger, Target::AtMost(MOST)));
    let again = "identify: the same with a token that was seen before";
    println!("{}", row(again, &token, &stranger, Target::Told));
    Ok(())
}

/// What one costs over the other, in nanoseconds.
fn row(what: &str, ours: &Series, theirs: &Series, target: Target) -> Row {
    let more = ours.median() - theirs.median();
    let ratio = ours.over(theirs).median;
    Row {
        figure: format!("{more:+.0} ns ({ratio:.2}×)"),
        value: more,
        ..Row::share(what, ours, theirs, "ns", target)
    }
}

/// So many units that nothing is denied.
fn limiter() -> Result<Limiter, Failure> {
    let secret = std::env::current_exe()?.with_file_name("bench-identify-secret");
    std::fs::write(&secret, SECRET)?;
    let text = format!(
        r#"[identity]
default_plan = "pro"
api_key = {{ header = "{field}" }}
jwt = {{ secret = {{ file = {secret:?} }}, issuer = "https://issuer.example", plan = "plan" }}
[plans.anonymous]
policies = ["1000000/minute burst 1000000"]
[plans.pro]
policies = ["1000000/minute burst 1000000"]
{consumers}"#,
        field = admitted::FIELD,
        consumers = admitted::consumers(HOT)?,
    );
    admitted::limiter("bench-identify.toml", &text)
}

/// A token of one consumer that ends in 2100.
fn token(place: usize) -> Result<HeaderValue, Failure> {
    let claims = format!(
        r#"{{"iss":"https://issuer.example","sub":"consumer-{place}","plan":"pro","exp":4102444800}}"#
    );
    let [header, claims] = [r#"{"alg":"HS256","typ":"JWT"}"#, claims.as_str()]
        .map(|part| BASE64_URL_SAFE_NO_PAD.encode(part));
    let text = format!("{header}.{claims}");
    let code = hmac::sign(
        &hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes()),
        text.as_bytes(),
    );
    let code = BASE64_URL_SAFE_NO_PAD.encode(code);
    Ok(HeaderValue::try_from(format!("Bearer {text}.{code}"))?)
}

fn request(place: usize, tokens: &[HeaderValue], shows: Shows) -> Result<Parts, Failure> {
    let mut request = admitted::request(matches!(shows, Shows::ApiKey).then_some(place))?;
    if let (Shows::Token, Some(token)) = (shows, tokens.get(place)) {
        request.headers.insert(AUTHORIZATION, token.clone());
    }
    Ok(request)
}

/// Nanoseconds for a decision.
fn identified(limiter: &Limiter, tokens: &[HeaderValue], shows: Shows) -> Result<f64, Failure> {
    let mut spent = Duration::ZERO;
    for _ in 0..TURNS {
        let asked = (0..HOT).map(|place| {
            let last = u8::try_from(place)?;
            let peer = SocketAddr::from(([192, 0, 2, last], 4711));
            Ok((request(place, tokens, shows)?, peer, admitted::response()?))
        });
        let mut asked = asked.collect::<Result<Vec<_>, Failure>>()?;
        let mut passed: Result<bool, Failure> = Ok(true);
        let took = cpu::spent(|| {
            passed = asked
                .iter_mut()
                .try_fold(true, |all, (asked, peer, answer)| {
                    Ok(all & admitted::admit(limiter, asked, *peer, answer)?)
                });
        });
        spent = spent.saturating_add(took);
        if !passed? {
            return Err("a request was denied: the quota is too small".into());
        }
        for (_, _, answer) in &asked {
            check(&answer.headers, shows)?;
        }
    }
    Ok(spent.as_nanos() as f64 / HOT.saturating_mul(TURNS) as f64)
}

/// Each side is who it says.
fn check(fields: &http::HeaderMap, shows: Shows) -> Result<(), Failure> {
    let expected = match shows {
        Shows::Nothing => "anonymous;",
        Shows::ApiKey | Shows::Token => "pro;",
    };
    let policy = fields.get("x-ratelimit-policy").map(HeaderValue::as_bytes);
    match policy {
        Some(policy) if policy.starts_with(expected.as_bytes()) => Ok(()),
        other => Err(format!("expected {expected} and found {other:?}").into()),
    }
}
