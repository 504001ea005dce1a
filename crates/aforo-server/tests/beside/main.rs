//! The decision service beside real gateways and clients, as their examples configure it.
//!
//! What they need is installed by `scripts/test install`; a test whose gateway is missing fails.

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

mod gateways;
mod languages;
mod redis;
mod scene;
