//! The decision service's settings.

use std::net::SocketAddr;
use std::path::PathBuf;

use aforo_core::Span;

use super::{Secret, Tls};

/// The decision service: at least one of its listeners is there.
#[derive(Clone, Debug)]
pub struct Decide {
    /// Envoy's rate limit service.
    pub grpc: Option<SocketAddr>,
    /// Redis clients.
    pub resp: Option<SocketAddr>,
    /// HTTP clients and other gateways.
    pub http: Option<SocketAddr>,
    /// The names that a Host field may say beside loopback names and addresses, in lower case.
    pub hosts: Vec<String>,
    /// The secret that whoever asks has to send.
    pub token: Option<Secret>,
    /// TLS of all listeners.
    pub tls: Option<Tls>,
    /// The PEM file with the authorities of client certificates; only beside `tls`.
    pub client_ca: Option<PathBuf>,
    /// Whether it was written down that anybody may ask.
    pub open: bool,
    /// Connections at once, for each listener.
    pub max_connections: usize,
    /// How long a connection may be idle.
    pub idle_timeout: Span,
    /// How long a request may take to arrive.
    pub request_timeout: Span,
}
