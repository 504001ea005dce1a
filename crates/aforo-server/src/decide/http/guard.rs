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
    pub(super) fn check_host(&self, host: Option<&str>) -> Result<(), Problem> {
        if self.is_guarded {
            return Ok(());
        }
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

    /// Requires the token, where there is one, of the field `Authorization`.
    pub(super) fn check_token(&self, authorization: Option<&str>) -> Result<(), Problem> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        match authorization {
            Some(value) if token.is_bearer(value.as_bytes()) => Ok(()),
            _ => Err(Problem::no_token()),
        }
    }
}

/// Checks whoever asks by a request.
pub(super) fn check(desk: &Desk, parts: &Parts) -> Result<(), Problem> {
    desk.check_host(host(parts))?;
    desk.check_token(one(&parts.headers, AUTHORIZATION.as_str()))?;
    check_media_type(one(&parts.headers, CONTENT_TYPE.as_str()))
}

/// The host that a request is for.
pub(super) fn host(parts: &Parts) -> Option<&str> {
    let in_target = parts.uri.host();
    in_target.or_else(|| one(&parts.headers, HOST.as_str()).map(without_port))
}

/// Requires `application/json`, which no form of a web page sends.
pub(super) fn check_media_type(sent: Option<&str>) -> Result<(), Problem> {
    let essence = sent
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
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

pub(super) fn without_port(authority: &str) -> &str {
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
    host.parse::<Ipv4Addr>().is_ok() || is_loopback_name(host)
}

fn is_loopback_name(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    last.eq_ignore_ascii_case("localhost")
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
        let said = |value| check_media_type(Some(value)).is_ok();
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
        assert!(check_media_type(None).is_err());
    }
}
