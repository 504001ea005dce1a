//! The registry on a real SQLite file and a real PostgreSQL.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod api_keys;
mod consumers;
mod limiter;
mod outage;
mod overrides;
mod scene;
mod secrets;
mod versions;
