//! The whole way of one request through a [`Limiter`], and back.

use std::fmt::Write as _;
use std::net::SocketAddr;

use aforo::{Entered, Limiter};
use http::{Request, Response, request, response};

use crate::Failure;
use crate::at_once::at_once;
use crate::sha256::sha256_hex;

/// The field that carries an API key.
pub const FIELD: &str = "x-api-key";

/// The API key of one consumer.
pub fn api_key(place: usize) -> String {
    format!("key-{place}")
}

/// Consumers `consumer-0`, `consumer-1`, … of the plan `pro`, with the API keys `key-0`, `key-1`, …,
/// as an aforo file has them.
///
/// # Errors
/// Never for a string.
pub fn consumers(count: usize) -> Result<String, Failure> {
    let mut text = String::new();
    for place in 0..count {
        let hash = sha256_hex(&api_key(place));
        writeln!(
            text,
            "[[consumers]]\nid = \"consumer-{place}\"\nplan = \"pro\""
        )?;
        writeln!(text, "api_key_sha256 = [\"{hash}\"]")?;
    }
    Ok(text)
}

/// A limiter from the text of an aforo file.
///
/// # Errors
/// When the text is no such file.
pub fn limiter(name: &str, text: &str) -> Result<Limiter, Failure> {
    let path = std::env::current_exe()?.with_file_name(name);
    std::fs::write(&path, text)?;
    Ok(Limiter::from_file(path)?)
}

/// A request for one order, by a consumer when `consumer` is one.
///
/// # Errors
/// Never for a consumer's number.
pub fn request(consumer: Option<usize>) -> Result<request::Parts, Failure> {
    let request = Request::get("/v1/orders/1041")
        .header("host", "api.example")
        .header("accept", "application/json")
        .header("user-agent", "orders/3.1");
    let request = match consumer {
        Some(place) => request.header(FIELD, api_key(place)),
        None => request,
    };
    Ok(request.body(())?.into_parts().0)
}

/// What an upstream answers, before any field of Aforo's.
///
/// # Errors
/// Never.
pub fn response() -> Result<response::Parts, Failure> {
    let response = Response::builder()
        .header("content-type", "application/json")
        .header("content-length", "82")
        .header("date", "Mon, 30 Nov 2026 12:00:00 GMT");
    Ok(response.body(())?.into_parts().0)
}

/// Facts, identity, charges, decision, and the fields on the response; whether it passed.
///
/// # Errors
/// When the limiter does not answer at once.
#[inline]
pub fn admit(
    limiter: &Limiter,
    asked: &mut request::Parts,
    peer: SocketAddr,
    answer: &mut response::Parts,
) -> Result<bool, Failure> {
    match limiter.enter(asked, Some(peer)) {
        Entered::Passes(mut passage) => {
            passage.forwarded();
            at_once(passage.finish(answer))?;
            Ok(true)
        }
        Entered::Answered(_) => Ok(false),
        Entered::Waits(_) => Err("the limiter has to wait".into()),
    }
}
