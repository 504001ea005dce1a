//! `aforo consumer` and a gateway that finds its consumers in the registry.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic, and measures how long a start takes"
)]

#[allow(
    dead_code,
    unused_imports,
    reason = "other tests use what these do not"
)]
#[path = "../support/mod.rs"]
mod support;

mod at_once;
mod command;
mod gateway;
mod million;
mod scene;
mod secrets;
