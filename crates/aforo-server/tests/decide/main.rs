//! The decision service of the real program, over real sockets.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with other tests")]
mod support;

mod admittance;
#[path = "../program/authority.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod authority;
mod certificates;
mod envoy;
mod forward_auth;
mod grpc;
mod grpc_admittance;
mod grpc_client;
mod grpc_requests;
mod http;
mod http_hostile;
mod http_ways;
mod import;
mod redis_cell;
mod resp;
mod resp_clients;
mod resp_hostile;
mod shared_store;

use support::{Program, RawClient};

/// A decision service that listens for Redis clients.
fn redis() -> Program {
    Program::with_file("[decide]\nresp = \"127.0.0.1:0\"\n")
}

/// Sends a line and gives the whole answer, which is known to be so long.
fn says(client: &mut RawClient, sent: &str, expected: &str) {
    client.send(sent);
    let answer = client.exactly(expected.len());
    assert_eq!(String::from_utf8_lossy(&answer), expected, "to {sent:?}");
}
