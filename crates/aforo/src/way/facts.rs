//! What a request says, read from its head.

use ::http::request::Parts;
use ::http::{HeaderMap, Method, Uri, header};

/// The target that the request was sent to: the original one, where a router cut its prefix off.
pub(super) fn target(parts: &Parts) -> &Uri {
    #[cfg(feature = "axum")]
    if let Some(axum::extract::OriginalUri(uri)) = parts.extensions.get() {
        return uri;
    }
    &parts.uri
}

/// The template that the application's router matched.
pub(super) fn router_template(parts: &Parts) -> Option<&str> {
    #[cfg(feature = "axum")]
    if let Some(matched) = parts.extensions.get::<axum::extract::MatchedPath>() {
        return Some(matched.as_str());
    }
    let _ = parts;
    None
}

/// The host, from the target or the Host header.
pub(super) fn host(parts: &Parts) -> Option<&str> {
    target(parts).host().or_else(|| {
        let value = parts.headers.get(header::HOST)?.to_str().ok()?;
        (!value.is_empty() && value.bytes().all(is_host_byte)).then(|| without_port(value))
    })
}

/// Whether a byte may stand in a Host field (RFC 9110, section 7.2; RFC 3986, section 3.2.2).
const fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'%')
        || matches!(
            byte,
            b'!' | b'$' | b'&'..=b',' | b';' | b'=' | b':' | b'[' | b']'
        )
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// Whether this is a true CORS preflight (Fetch standard), which a browser sends by itself.
pub(super) fn is_preflight(parts: &Parts) -> bool {
    parts.method == Method::OPTIONS
        && parts.headers.contains_key(header::ORIGIN)
        && parts
            .headers
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Whether the caller waits with its body until it is asked for it.
pub(super) fn expects_continue(headers: &HeaderMap) -> bool {
    headers
        .get(header::EXPECT)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(builder: ::http::request::Builder) -> Parts {
        builder.body(()).unwrap().into_parts().0
    }

    #[test]
    fn the_host_is_told_without_its_port() {
        let of = |value: &str| {
            let parts = parts(::http::Request::get("/").header("host", value));
            host(&parts).map(str::to_owned)
        };
        assert_eq!(of("api.example:8080").as_deref(), Some("api.example"));
        assert_eq!(of("[2001:db8::1]").as_deref(), Some("[2001:db8::1]"));
        assert_eq!(of("[2001:db8::1]:443").as_deref(), Some("[2001:db8::1]"));
        for odd in ["a b", "", "user@api.example", "api.example/x"] {
            assert_eq!(of(odd), None);
        }
        let absolute = parts(::http::Request::get("http://one.example:1/x").header("host", "two"));
        assert_eq!(host(&absolute), Some("one.example"));
    }

    #[test]
    fn only_true_preflights_are_preflights() {
        let options = || ::http::Request::options("/");
        assert!(!is_preflight(&parts(options())));
        assert!(!is_preflight(&parts(
            options().header("origin", "https://a.example")
        )));
        let full = options()
            .header("origin", "https://a.example")
            .header("access-control-request-method", "PUT");
        assert!(is_preflight(&parts(full)));
    }
}
