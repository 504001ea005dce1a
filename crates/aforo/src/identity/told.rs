//! What an upstream is told of where a request comes from.

use std::fmt::{self, Display, Formatter};
use std::net::IpAddr;

use ::http::header::FORWARDED;
use ::http::uri::Scheme;
use ::http::{HeaderMap, HeaderName, HeaderValue};

use super::address::X_FORWARDED_FOR;

pub(super) const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
pub(super) const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// For whom a request is forwarded, and the values that say so.
#[derive(Debug)]
pub struct Told {
    address: IpAddr,
    scheme: Scheme,
    host: Option<HeaderValue>,
    address_value: HeaderValue,
    scheme_value: HeaderValue,
    host_value: Option<HeaderValue>,
    forwarded: HeaderValue,
    lines: Box<[u8]>,
}

impl Told {
    pub(super) fn new(
        address: IpAddr,
        scheme: &Scheme,
        host: Option<&HeaderValue>,
    ) -> Option<Self> {
        let host_text = host.and_then(|host| host.to_str().ok());
        let forwarded = Element {
            address,
            host: host_text,
            scheme: scheme.as_str(),
        };
        let told = Self {
            address,
            scheme: scheme.clone(),
            // Copied: a slice of what was read would keep all of it.
            host: host.and_then(|host| HeaderValue::from_bytes(host.as_bytes()).ok()),
            address_value: shared(&address.to_string())?,
            scheme_value: shared(scheme.as_str())?,
            host_value: host_text.and_then(shared),
            forwarded: shared(&forwarded.to_string())?,
            lines: Box::default(),
        };
        let lines = told.written();
        Some(Self { lines, ..told })
    }

    /// Whether it tells these.
    pub(super) fn is_of(
        &self,
        address: IpAddr,
        scheme: &Scheme,
        host: Option<&HeaderValue>,
    ) -> bool {
        self.address == address && self.host.as_ref() == host && self.scheme == *scheme
    }

    pub(super) const fn address_value(&self) -> &HeaderValue {
        &self.address_value
    }

    /// The fields as the lines of an HTTP/1.1 head, each with its end.
    pub const fn lines(&self) -> &[u8] {
        &self.lines
    }

    /// Puts the fields into a request, in the place of those of the same names.
    pub fn insert_into(&self, headers: &mut HeaderMap) {
        for (name, value) in self.fields() {
            headers.insert(name, value.clone());
        }
    }

    fn fields(&self) -> impl Iterator<Item = (HeaderName, &HeaderValue)> {
        let host = self.host_value.as_ref();
        [
            Some((X_FORWARDED_FOR, &self.address_value)),
            Some((X_FORWARDED_PROTO, &self.scheme_value)),
            host.map(|host| (X_FORWARDED_HOST, host)),
            Some((FORWARDED, &self.forwarded)),
        ]
        .into_iter()
        .flatten()
    }

    fn written(&self) -> Box<[u8]> {
        let mut lines = Vec::new();
        for (name, value) in self.fields() {
            lines.extend_from_slice(name.as_str().as_bytes());
            lines.extend_from_slice(b": ");
            lines.extend_from_slice(value.as_bytes());
            lines.extend_from_slice(b"\r\n");
        }
        lines.into()
    }
}

/// A value that every request gets a handle to.
fn shared(text: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(text).ok()
}

/// One element of `Forwarded`.
struct Element<'a> {
    address: IpAddr,
    host: Option<&'a str>,
    scheme: &'a str,
}

impl Display for Element<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.address {
            IpAddr::V4(address) => write!(f, "for={address}")?,
            IpAddr::V6(address) => write!(f, "for=\"[{address}]\"")?,
        }
        if let Some(host) = self.host {
            let escaped = host.replace('\\', "\\\\").replace('"', "\\\"");
            write!(f, ";host=\"{escaped}\"")?;
        }
        write!(f, ";proto={}", self.scheme)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_with_quotes_stays_one_value() {
        let element = Element {
            address: IpAddr::from([192, 0, 2, 1]),
            host: Some("a\"b\\c"),
            scheme: "https",
        };
        assert_eq!(
            element.to_string(),
            "for=192.0.2.1;host=\"a\\\"b\\\\c\";proto=https"
        );
    }
}
