//! `[gateway]` and `[edge]`.

use super::PolicyEntry;
use super::choice::Choice;
use crate::file::read::{List, Located, Text};
use crate::file::table::{table, words};

table! {
    /// The gateway: where it listens and what stands behind it.
    RawGateway {
        /// Where the gateway listens: an IP address and a port, such as `127.0.0.1:8080` (this
        /// machine only), `0.0.0.0:8080` or `[::]:8080` (every address).
        required listen: Text,
        /// The servers behind the gateway: `http://host:port`, or `h2c://host:port`
        /// for HTTP/2, optionally with a base path.
        /// Several are balanced. `builtin:echo` answers every request by itself, for trying out.
        required upstream: List<Text>,
        /// TLS of the listener. Without it the gateway speaks plain HTTP.
        optional tls: RawTls,
        /// The most connections at once. Default: 10000.
        optional max_connections: Located<u64>,
        /// The most connections at once from one client address; trusted proxies have no such
        /// cap. Default: 256.
        optional max_connections_per_address: Located<u64>,
        /// How long a request's head may take to arrive. Default: `10s`.
        optional header_timeout: Text,
        /// How long a connection may stay idle. Default: `60s`.
        optional idle_timeout: Text,
        /// How long connecting to an upstream may take. Default: `3s`.
        optional connect_timeout: Text,
        /// How long an upstream may take to begin its response. Default: `60s`.
        optional response_timeout: Text,
        /// How long requests in flight may take to end when the gateway stops. Default: `30s`.
        optional drain_timeout: Text,
        /// Which spelling of a path is forwarded. Policies are always matched on the canonical
        /// one.
        optional forward_path: Choice<ForwardPath>,
        /// The most bytes of a body that are read for `body:` and `form:` parts; a larger body
        /// gets 413 where such a policy applies. Default: 65536.
        optional max_body_for_keys: Located<u64>,
        /// Where a caller sees its plan, its policies and what is left of them, without taking
        /// any: a path such as `/limits`, asked with GET. Left out: nowhere.
        optional limits_path: Text,
        /// Whether the upstream is told who the caller is: `X-Consumer-Id`, `X-Consumer-Plan`,
        /// `X-Consumer-Team` and `X-Consumer-Org`. Every field that clients send under a name that
        /// begins with `X-Consumer-` is then taken away. Default: false.
        optional consumer_headers: Located<bool>,
        /// Which web pages may read answers and denials.
        optional cors: RawCors,
    }
    later { "docs_path" }
}

table! {
    /// A certificate chain and its private key.
    RawTls {
        /// The PEM file with the certificate chain, the gateway's own certificate first.
        required cert: Text,
        /// The PEM file with the private key.
        required key: Text,
        /// The PEM file with the authorities of client certificates. With it clients are asked for
        /// one: one of another authority, or out of date, gets no connection; without one a client
        /// is anonymous. `client_certificate` in `[identity]` says what names the consumer.
        optional client_ca: Text,
    }
}

table! {
    /// Which web pages may read answers and denials (CORS).
    RawCors {
        /// Origins such as `https://app.example`, or `*` alone for every page.
        required allow_origins: List<Text>,
    }
}

table! {
    /// Policies per client address that come before anything else.
    RawEdge {
        /// Quotas per client address. They are charged even when the request is denied later,
        /// and count by `client_ip` unless they say otherwise.
        required policies: List<PolicyEntry>,
    }
}

/// Which spelling of a path is forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::file) enum ForwardPath {
    Canonical,
    Raw,
}

words!(ForwardPath {
    "canonical" => Self::Canonical, "The spelling that policies are matched on. The default.";
    "raw" => Self::Raw, "The path as the caller wrote it.";
});
