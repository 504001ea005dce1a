//! Units that instances take in advance: what that may admit, and that nothing is lost.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod behaviour;
mod bound;
mod scene;
