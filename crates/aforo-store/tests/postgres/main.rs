//! The SQL store on PostgreSQL.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests may panic"
)]

#[path = "../stage/mod.rs"]
mod stage;

mod cases;
mod conformance;
mod outage;
mod races;
