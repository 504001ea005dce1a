//! Questions that cannot be answered: `application/problem+json` (RFC 9457) that says what was
//! expected.

use std::borrow::Cow;

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::Full;
use schemars::JsonSchema;
use serde::Serialize;

/// Why a question cannot be answered.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    detail: Cow<'static, str>,
    field: Option<(HeaderName, HeaderValue)>,
}

/// A question that cannot be answered (RFC 9457).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct Document<'a> {
    /// Always `about:blank`: the status says it.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The status in words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What was wrong, and what was expected.
    detail: &'a str,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            detail: detail.into(),
            field: None,
        }
    }

    /// 400.
    pub(super) fn bad(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// 404.
    pub(super) fn nothing_here() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "nothing is here; expected /v1/decide, /v1/peek, /v1/refund, /forward-auth, \
             /openapi.json or /healthz",
        )
    }

    /// 405.
    pub(super) fn only(methods: &'static str) -> Self {
        Self {
            field: Some((ALLOW, HeaderValue::from_static(methods))),
            ..Self::new(
                StatusCode::METHOD_NOT_ALLOWED,
                format!("expected the method {methods}"),
            )
        }
    }

    /// 401.
    pub(super) fn no_token() -> Self {
        Self {
            field: Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            ..Self::new(
                StatusCode::UNAUTHORIZED,
                "expected the token of [decide] as Authorization: Bearer TOKEN",
            )
        }
    }

    /// The same, after which the connection ends: what the client still sends is not read.
    pub(super) fn closing(self) -> Self {
        let field = (CONNECTION, HeaderValue::from_static("close"));
        Self {
            field: Some(field),
            ..self
        }
    }

    /// The body.
    pub(super) fn document(&self) -> Vec<u8> {
        let document = Document {
            kind: "about:blank",
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            detail: &self.detail,
        };
        serde_json::to_vec(&document).unwrap_or_default()
    }

    /// The fields that tell of the body, and what the status asks for.
    pub(super) fn fields(self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let media_type = HeaderValue::from_static("application/problem+json");
        let told = [
            (CONTENT_TYPE, media_type),
            (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ];
        told.into_iter().chain(self.field)
    }

    /// The response.
    pub(super) fn response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::from(self.document()));
        *response.status_mut() = self.status;
        response.headers_mut().extend(self.fields());
        response
    }
}
