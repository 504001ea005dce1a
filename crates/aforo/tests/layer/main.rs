//! The tower layer, in axum, tonic and plain hyper.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

#[path = "../requests/frail.rs"]
mod frail;
mod in_axum;
mod in_hyper;
mod in_tonic;
mod in_waiting;
#[path = "../requests/support.rs"]
mod support;
