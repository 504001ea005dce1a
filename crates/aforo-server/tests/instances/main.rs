//! Several instances of the program on one real store.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic, and measures real time against a frozen server"
)]

#[allow(dead_code, unused_imports, reason = "other tests use the rest")]
#[path = "../support/mod.rs"]
mod support;

mod guaranteed;
mod hash_key;
mod outage;
mod penalty;
mod refused;
mod scene;
mod several_stores;
mod sharing;
