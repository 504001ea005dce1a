//! `upstream = ["builtin:echo"]`: the gateway answers by itself, to try a file out.

use std::net::IpAddr;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderValue, Response};
use serde::Serialize;

use super::body::GatewayBody;
use super::problem::Problem;

/// What the echo tells of a request.
#[derive(Serialize)]
struct Echo<'a> {
    method: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<&'a str>,
    client: IpAddr,
    consumer: Option<&'a str>,
}

/// What the gateway saw of the request, as JSON.
pub(super) fn answer(
    head: &Parts,
    client: IpAddr,
    consumer: Option<&str>,
) -> Response<GatewayBody> {
    let echo = Echo {
        method: head.method.as_str(),
        path: head.uri.path(),
        query: head.uri.query(),
        client,
        consumer,
    };
    let Ok(mut json) = serde_json::to_vec(&echo) else {
        return Problem::Internal.response();
    };
    json.push(b'\n');
    let mut response = Response::new(GatewayBody::answer(Bytes::from(json)));
    let media_type = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}
