//! The real program, end to end, over real sockets.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

#[path = "../support/mod.rs"]
mod support;

mod access_log;
mod addresses;
mod answers;
mod authority;
mod balancing;
mod bodies;
mod callers;
mod certificates;
mod command_line;
mod connections;
mod drain;
mod examples;
mod framing;
mod graphql;
mod grpc;
mod http2;
mod login;
mod lookups;
mod own_use;
mod paths;
mod proxying;
mod shared_limit;
mod signals;
mod tokens;
mod upgrades;
