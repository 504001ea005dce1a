//! The Memcached store.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests may panic"
)]

#[path = "../stage/mod.rs"]
mod stage;

mod cases;
mod conformance;
mod outage;
mod races;
