//! Where an upstream is.

use http::Uri;
use http::uri::Authority;
use thiserror::Error;

/// Where an upstream is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::gateway) struct Target {
    /// Host and port as the file says it; the name behind which requests go.
    pub(in crate::gateway) authority: Authority,
    /// The host, without brackets.
    pub(super) host: String,
    /// The port.
    pub(super) port: u16,
    /// What is put before each path; no slash at its end, often empty.
    pub(in crate::gateway) base_path: String,
    /// The protocol it speaks, unless the request needs HTTP/2.
    protocol: Protocol,
}

/// The protocol that is spoken to an upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gateway) enum Protocol {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2 without TLS, by prior knowledge (h2c).
    Http2,
}

/// An upstream that cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum TargetError {
    /// Another scheme.
    #[error("upstream {0:?}: expected http://host:port, or h2c://host:port for HTTP/2")]
    Scheme(String),
    /// No host.
    #[error("upstream {0:?} names no host")]
    NoHost(String),
}

impl Target {
    /// Where `uri` points to.
    pub(in crate::gateway) fn new(uri: &Uri) -> Result<Self, TargetError> {
        let protocol = match uri.scheme_str() {
            Some("http") => Protocol::Http1,
            Some("h2c") => Protocol::Http2,
            _ => return Err(TargetError::Scheme(uri.to_string())),
        };
        let authority = uri
            .authority()
            .cloned()
            .ok_or_else(|| TargetError::NoHost(uri.to_string()))?;
        let host = authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']');
        Ok(Self {
            host: host.to_owned(),
            port: authority.port_u16().unwrap_or(80),
            base_path: uri.path().trim_end_matches('/').to_owned(),
            protocol,
            authority,
        })
    }

    /// The protocol for a request: gRPC needs HTTP/2, since it lives in its trailers.
    pub(in crate::gateway) const fn protocol(&self, is_grpc: bool) -> Protocol {
        if is_grpc {
            Protocol::Http2
        } else {
            self.protocol
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(uri: &str) -> Target {
        Target::new(&uri.parse().unwrap()).unwrap()
    }

    #[test]
    fn an_upstream_has_a_host_a_port_and_perhaps_a_base_path() {
        let here = target("http://[::1]:3000/base/");
        assert_eq!((here.host.as_str(), here.port), ("::1", 3000));
        assert_eq!(here.base_path, "/base");
        assert_eq!(target("http://app").port, 80);
        assert_eq!(target("http://app").base_path, "");
    }

    #[test]
    fn grpc_goes_by_http_2_wherever_it_goes() {
        assert_eq!(target("http://app").protocol(false), Protocol::Http1);
        assert_eq!(target("http://app").protocol(true), Protocol::Http2);
        assert_eq!(target("h2c://app").protocol(false), Protocol::Http2);
    }

    #[test]
    fn another_scheme_is_refused() {
        let ftp = Target::new(&"ftp://app".parse().unwrap());
        assert_eq!(ftp, Err(TargetError::Scheme("ftp://app/".to_owned())));
    }
}
