//! The whole way of one request through a [`Limiter`], and back.

use std::fmt::Write as _;
use std::net::SocketAddr;

use aforo::{Admission, Limiter, Replayed};
use bytes::Bytes;
use http::response::Parts;
use http::{HeaderMap, Request, Response};
use http_body_util::Empty;

use crate::Failure;
use crate::at_once::at_once;
use crate::sha256::sha256_hex;

/// The field that carries an API key.
pub const FIELD: &str = "x-api-key";

/// A request without a body.
pub type Asked = Request<Empty<Bytes>>;

/// What became of a request.
#[allow(
    clippy::large_enum_variant,
    reason = "a box would be allocated while the clock runs"
)]
pub enum Became {
    /// It would be forwarded as it is here; the fields of its response.
    Passed(HeaderMap, Request<Replayed<Empty<Bytes>>>),
    /// It was denied.
    Denied,
}

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
pub fn request(consumer: Option<usize>) -> Result<Asked, Failure> {
    let request = Request::get("/v1/orders/1041")
        .header("host", "api.example")
        .header("accept", "application/json")
        .header("user-agent", "orders/3.1");
    let request = match consumer {
        Some(place) => request.header(FIELD, api_key(place)),
        None => request,
    };
    Ok(request.body(Empty::new())?)
}

/// What an upstream answers, before any field of Aforo's.
///
/// # Errors
/// Never.
pub fn response() -> Result<Parts, Failure> {
    let response = Response::builder()
        .header("content-type", "application/json")
        .header("content-length", "82")
        .header("date", "Mon, 30 Nov 2026 12:00:00 GMT");
    Ok(response.body(())?.into_parts().0)
}

/// Facts, identity, charges, decision, and the fields on the response.
///
/// # Errors
/// When the limiter does not answer at once.
#[inline]
pub fn admit(
    limiter: &Limiter,
    asked: Asked,
    peer: SocketAddr,
    mut parts: Parts,
) -> Result<Became, Failure> {
    match at_once(limiter.admit(asked, Some(peer)))? {
        Admission::Pass(request, mut passage) => {
            passage.forwarded();
            at_once(passage.finish(&mut parts))?;
            Ok(Became::Passed(parts.headers, request))
        }
        Admission::Answer(_) => Ok(Became::Denied),
    }
}
