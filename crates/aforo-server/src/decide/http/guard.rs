//! Who may ask: a browser's page must not get here, and a token is compared in constant time.

use std::net::{Ipv4Addr, Ipv6Addr};

use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http::request::Parts;
use http::{HeaderMap, StatusCode};

use super::desk::Desk;
use super::problem::Problem;

impl Desk {
    /// Refuses a Host that may be the name of a web page: a page whose name was made to point here
    /// (DNS rebinding) is of the same origin for its browser. Whoever shows a token or a
    /// certificate is no page.
    pub(super) fn check_host(&self, parts: &Parts) -> Result<(), Problem> {
        if self.is_guarded {
            return Ok(());
        }
        let host = match parts.uri.host() {
            Some(host) => Some(host),
            None => one(&parts.headers, HOST.as_str()).map(without_port),
        };
        if host.is_some_and(|host| is_here(host) || self.is_named(host)) {
            return Ok(());
        }
        Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "expected a Host that is localhost, an IP address, or one of `hosts` in [decide]",
        ))
    }

    fn is_named(&self, host: &str) -> bool {
        self.hosts
            .iter()
            .any(|name| name.eq_ignore_ascii_case(host))
    }

    /// Requires the token, where there is one.
    pub(super) fn check_token(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        match one(headers, AUTHORIZATION.as_str()) {
            Some(value) if token.is_bearer(value.as_bytes()) => Ok(()),
            _ => Err(Problem::no_token()),
        }
    }
}

/// Requires `application/json`, which no form of a web page sends.
pub(super) fn check_media_type(headers: &HeaderMap) -> Result<(), Problem> {
    let sent = one(headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    let essence = sent.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "expected Content-Type: application/json",
    ))
}

/// The value of a field that is there once.
pub(super) fn one<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// Whether a host is an address or a loopback name (RFC 6761, section 6.3): no name of a page.
fn is_here(host: &str) -> bool {
    let bracketed = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    if let Some(address) = bracketed {
        return address.parse::<Ipv6Addr>().is_ok();
    }
    let name = host.to_ascii_lowercase();
    host.parse::<Ipv4Addr>().is_ok() || name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_loopback_names_are_here() {
        for here in [
            "localhost",
            "LOCALHOST",
            "a.localhost",
            "127.0.0.1",
            "192.0.2.7",
            "[::1]",
        ] {
            assert!(is_here(here), "{here}");
        }
        for elsewhere in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "notlocalhost",
            "[evil.example]",
            "127.1",
            "0x7f000001",
        ] {
            assert!(!is_here(elsewhere), "{elsewhere}");
        }
        assert_eq!(without_port("[::1]:8082"), "[::1]");
        assert_eq!(without_port("localhost:8082"), "localhost");
        assert_eq!(without_port("localhost"), "localhost");
    }

    #[test]
    fn only_json_is_json() {
        let said = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, http::HeaderValue::from_static(value));
            check_media_type(&headers).is_ok()
        };
        assert!(said("application/json"));
        assert!(said("Application/JSON; charset=utf-8"));
        for other in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
            "text/plain; application/json",
            "application/jsonp",
        ] {
            assert!(!said(other), "{other}");
        }
        assert!(check_media_type(&HeaderMap::new()).is_err());
    }
}
