//! The gateway's settings.

use std::net::SocketAddr;
use std::path::PathBuf;

use aforo_core::Span;

use super::Cors;

/// The gateway.
#[derive(Clone, Debug)]
pub struct Gateway {
    /// Where it listens.
    pub listen: SocketAddr,
    /// What stands behind it.
    pub upstream: Vec<Upstream>,
    /// TLS of the listener.
    pub tls: Option<Tls>,
    /// The PEM file with the authorities of client certificates; only beside `tls`.
    pub client_ca: Option<PathBuf>,
    /// Connections in all.
    pub max_connections: usize,
    /// Connections per client address; trusted proxies have no such cap.
    pub max_connections_per_address: usize,
    /// How long a request's head may take.
    pub header_timeout: Span,
    /// How long a connection may be idle.
    pub idle_timeout: Span,
    /// How long connecting to an upstream may take.
    pub connect_timeout: Span,
    /// How long an upstream's response head may take.
    pub response_timeout: Span,
    /// How long a drain may take.
    pub drain_timeout: Span,
    /// Whether the canonical path is forwarded, or the raw one.
    pub forward_canonical: bool,
    /// The most bytes of a body that are read for a partition key.
    pub max_body_for_keys: usize,
    /// Where a caller sees its own policies and what is left of them, as paths are matched.
    pub limits_path: Option<String>,
    /// Whether the upstream is told who the caller is.
    pub consumer_headers: bool,
    /// Pages that may read the answers.
    pub cors: Option<Cors>,
}

/// What stands behind the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upstream {
    /// `builtin:echo`: the gateway answers by itself.
    Echo,
    /// `http://host:port`, or `h2c://host:port` for HTTP/2 by prior knowledge, optionally with a
    /// base path.
    Http(http::Uri),
}

/// A certificate chain and its private key, PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The chain.
    pub cert: PathBuf,
    /// The private key.
    pub key: PathBuf,
}
