//! The Redis store on real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod at_once;
mod cluster_suite;
mod expiry;
mod failover;
mod layout;
#[path = "../stage/leases.rs"]
mod leases;
mod modes;
mod outage;
mod round_trips;
mod scene;
mod single_suite;
mod stage;
