//! What the gateway answers when a request cannot be forwarded: `application/problem+json`
//! (RFC 9457), without a word about what stands behind it.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};

use super::body::GatewayBody;

/// Why a request cannot be forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// No Host, more than one, or one that is none.
    BadHost,
    /// CONNECT.
    NoTunnels,
    /// The upstream cannot be reached, or broke off.
    BadGateway,
    /// The upstream did not answer in time.
    GatewayTimeout,
    /// A bug of ours.
    Internal,
}

impl Problem {
    const fn status(self) -> StatusCode {
        match self {
            Self::BadHost => StatusCode::BAD_REQUEST,
            Self::NoTunnels => StatusCode::METHOD_NOT_ALLOWED,
            Self::BadGateway => StatusCode::BAD_GATEWAY,
            Self::GatewayTimeout => StatusCode::GATEWAY_TIMEOUT,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    const fn body(self) -> &'static str {
        match self {
            Self::BadHost => {
                r#"{"type":"about:blank","title":"Bad Request","status":400,"detail":"The request must name exactly one valid host."}"#
            }
            Self::NoTunnels => {
                r#"{"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"This gateway opens no tunnels."}"#
            }
            Self::BadGateway => {
                r#"{"type":"about:blank","title":"Bad Gateway","status":502,"detail":"The service did not give a valid answer. Please try again later."}"#
            }
            Self::GatewayTimeout => {
                r#"{"type":"about:blank","title":"Gateway Timeout","status":504,"detail":"The service did not answer in time. Please try again later."}"#
            }
            Self::Internal => {
                r#"{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"The request could not be handled."}"#
            }
        }
    }

    /// The response.
    pub(super) fn response(self) -> Response<GatewayBody> {
        let body = Bytes::from_static(self.body().as_bytes());
        let mut response = Response::new(GatewayBody::answer(body));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        let media_type = HeaderValue::from_static("application/problem+json");
        headers.insert(CONTENT_TYPE, media_type);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}
