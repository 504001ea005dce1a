//! `/forward-auth`: another gateway asks whether a request may go on, and hands what it is answered
//! to its client.
//!
//! Traefik's ForwardAuth and Caddy's forward_auth pass any answer but 2xx through. nginx's
//! auth_request knows only 2xx, 401 and 403: with `?deny=403` every denial is a 403 that carries what
//! it means in `X-Aforo-Status` and `X-Aforo-Body`.

use std::fmt::Write as _;
use std::net::SocketAddr;

use aforo::identity::ClientAddress;
use aforo_policy::ForwardedHeader;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HOST};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::Full;
use tokio::time::sleep;

use super::deciding;
use super::desk::Desk;
use super::guard::one;
use super::problem::Problem;

const METHOD: HeaderName = HeaderName::from_static("x-forwarded-method");
const TARGET: HeaderName = HeaderName::from_static("x-forwarded-uri");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
/// What a denial truly is, where its status says 403.
const STATUS: HeaderName = HeaderName::from_static("x-aforo-status");
/// The body of a denial whose status says 403.
const BODY: HeaderName = HeaderName::from_static("x-aforo-body");

/// How a denial is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Denying {
    /// As it is.
    Plainly,
    /// As 403.
    Forbidding,
}

/// Answers a gateway.
pub(super) async fn answer(
    desk: &Desk,
    peer: SocketAddr,
    parts: Parts,
) -> Result<Response<Full<Bytes>>, Problem> {
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return Err(Problem::only("GET, HEAD"));
    }
    let client = ClientAddress::of(peer.ip(), &parts.headers, &desk.identity);
    if !client.peer_trusted {
        desk.refuses(client.peer);
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "only a gateway in identity.trusted_proxies may ask here",
        ));
    }
    let denying = denying(&parts.uri)?;
    let request = original(desk, parts)?;
    let mut ruling = desk.limiter.decide_request(request, Some(peer)).await;
    if let Some(delay) = ruling.delay() {
        let held = GivesBack(ruling.receipt());
        sleep(delay).await;
        held.keep();
    }
    let mut response = Response::new(Full::default());
    ruling.write_fields(response.headers_mut());
    if let Some(denial) = ruling.denial() {
        let body = deciding::bytes(denial.body().clone()).await;
        *response.status_mut() = denial.status();
        if denying == Denying::Forbidding {
            forbid(&mut response, &body);
        }
        *response.body_mut() = Full::from(body);
    } else {
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}

fn denying(uri: &Uri) -> Result<Denying, Problem> {
    match uri.query() {
        None | Some("") => Ok(Denying::Plainly),
        Some("deny=403") => Ok(Denying::Forbidding),
        Some(_) => Err(Problem::bad("expected no query, or deny=403")),
    }
}

/// The request that the gateway has.
fn original(desk: &Desk, mut parts: Parts) -> Result<Request<Option<&'static [u8]>>, Problem> {
    let headers = &mut parts.headers;
    let method = required(headers, &METHOD)?;
    let method = Method::from_bytes(method.as_bytes())
        .map_err(|_| Problem::bad("X-Forwarded-Method is not a method"))?;
    let target: Uri = required(headers, &TARGET)?
        .parse()
        .map_err(|_| Problem::bad("X-Forwarded-Uri is not a path with its query"))?;
    check_address(desk, headers)?;
    let host = required(headers, &FORWARDED_HOST)?;
    let host =
        HeaderValue::from_str(&host).map_err(|_| Problem::bad("X-Forwarded-Host is not a host"))?;
    headers.insert(HOST, host);
    for name in [METHOD, TARGET, FORWARDED_HOST, CONTENT_LENGTH] {
        headers.remove(name);
    }
    parts.method = method;
    parts.uri = target;
    Ok(Request::from_parts(parts, None))
}

/// A header that has to be there, once.
fn required(headers: &HeaderMap, name: &HeaderName) -> Result<String, Problem> {
    one(headers, name.as_str())
        .filter(|value| !value.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| Problem::bad(format!("expected the header {name} of the gateway, once")))
}

/// Without the address of the client, everybody behind the gateway would share one bucket.
fn check_address(desk: &Desk, headers: &HeaderMap) -> Result<(), Problem> {
    let name = match &desk.identity.forwarded_header {
        ForwardedHeader::XForwardedFor => "x-forwarded-for",
        ForwardedHeader::Forwarded => "forwarded",
        ForwardedHeader::Single(name) => name.as_str(),
    };
    if headers.contains_key(name) {
        return Ok(());
    }
    Err(Problem::bad(format!(
        "expected the header {name} with the client's address (identity.forwarded_header)"
    )))
}

/// A receipt that is given back when its client leaves while it is held.
struct GivesBack(Option<aforo::decide::Receipt>);

impl GivesBack {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for GivesBack {
    fn drop(&mut self) {
        if let Some(receipt) = self.0.take() {
            tokio::task::spawn_local(receipt.refund());
        }
    }
}

/// Makes a denial a 403 that says what it is.
fn forbid(response: &mut Response<Full<Bytes>>, body: &[u8]) {
    let status = HeaderValue::from(response.status().as_u16());
    *response.status_mut() = StatusCode::FORBIDDEN;
    let headers = response.headers_mut();
    headers.insert(STATUS, status);
    if let Some(body) = header_of(headers, body) {
        headers.insert(BODY, body);
    }
}

/// A body as a header: JSON with everything beyond ASCII escaped, other text only where it is one
/// line of ASCII.
fn header_of(headers: &HeaderMap, body: &[u8]) -> Option<HeaderValue> {
    let text = std::str::from_utf8(body).ok()?;
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let is_json = media_type.is_some_and(|value| value.contains("json"));
    if text.is_ascii() || !is_json {
        let value = HeaderValue::from_str(text).ok();
        return value.filter(|_| text.is_ascii());
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            escaped.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _written = write!(escaped, "\\u{unit:04x}");
        }
    }
    HeaderValue::from_str(&escaped).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(media_type: &'static str, body: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        let value = header_of(&headers, body.as_bytes())?;
        Some(value.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_body_becomes_a_header_of_the_same_meaning() {
        let text = r#"{"title":"Límite excedido 😀"}"#;
        let value = header("application/problem+json", text).unwrap();
        assert_eq!(value, r#"{"title":"L\u00edmite excedido \ud83d\ude00"}"#);
        let (one, other): (serde_json::Value, serde_json::Value) = (
            serde_json::from_str(&value).unwrap(),
            serde_json::from_str(text).unwrap(),
        );
        assert_eq!(one, other);
        assert_eq!(
            header("text/html", "<p>no</p>").as_deref(),
            Some("<p>no</p>")
        );
        assert_eq!(header("text/html", "<p>\nno</p>"), None);
        assert_eq!(header("text/html", "<p>Límite</p>"), None);
    }
}
