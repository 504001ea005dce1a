//! Real servers for tests and measurements.
//!
//! Each listens on free ports of the loopback address, keeps its files in a folder of its own,
//! and ends when its value is dropped or the process that started it ends, however that ends.
//! What does not start is a panic: a test that needs a server fails without it.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a test without its server fails"
)]

mod envoy;
mod memcached;
mod patience;
mod port;
mod postgres;
mod process;
mod redis;

pub use envoy::{Envoy, peers};
pub use memcached::Memcached;
pub use patience::until;
pub use port::free_port;
pub use postgres::Postgres;
pub use process::Process;
pub use redis::{Cluster, Redis, Sentinels};
