//! The way of a request through a limiter, without a server.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod breaker;
mod callers;
mod check;
mod cost;
mod counting;
mod devices;
mod endpoint;
mod evasion;
mod frail;
mod guaranteed;
mod hierarchy;
mod jwt;
mod known_ids;
mod leased;
mod login;
mod lookup;
mod lookup_endpoint;
mod near_cache;
mod penalty;
mod reload;
mod routes;
mod scene;
mod scripted;
mod settle;
mod store_failure;
mod support;
