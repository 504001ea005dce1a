//! `[decide]`.

use crate::Secret;
use crate::file::read::{List, Located, Text};
use crate::file::table::table;

table! {
    /// The decision service: answers other gateways and any Redis or HTTP client.
    RawDecide {
        /// Where Envoy's rate limit service (v3, gRPC) is served. An IP address and a port, such as
        /// `127.0.0.1:8081`.
        optional grpc: Text,
        /// Where Redis clients are served: `CL.THROTTLE` and `AFORO.DECIDE`. An IP
        /// address and a port, such as `127.0.0.1:6380`.
        optional resp: Text,
        /// Where HTTP clients and other gateways are served: `/v1/decide`, `/forward-auth`. An IP
        /// address and a port, such as `127.0.0.1:8082`.
        optional http: Text,
        /// The names by which HTTP clients may ask, such as `aforo.internal`, beside `localhost` and
        /// IP addresses. What a Host field says else is refused: a web page could be behind it.
        optional hosts: List<Text>,
        /// Where the secret is that whoever asks has to send.
        optional token: Secret,
        /// TLS of all listeners. Without it they speak in the clear.
        optional tls: RawDecideTls,
        /// `true`: anybody who reaches a listener may ask. Needed beyond this machine where there
        /// is neither `token` nor `client_ca`.
        optional open: Located<bool>,
        /// The most connections at once, for each listener. Default: 10000.
        optional max_connections: Located<u64>,
        /// How long a connection may stay idle. Default: `5min`.
        optional idle_timeout: Text,
        /// How long a request may take to arrive once its first byte has. Default: `10s`.
        optional request_timeout: Text,
    }
}

table! {
    /// A certificate chain, its private key, and whose certificates clients have to show.
    RawDecideTls {
        /// The PEM file with the certificate chain, the service's own certificate first.
        required cert: Text,
        /// The PEM file with the private key.
        required key: Text,
        /// The PEM file with the authorities of client certificates. With it, whoever has no
        /// certificate of theirs is not served.
        optional client_ca: Text,
    }
}
