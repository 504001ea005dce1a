//! The tower layer, in axum, tonic and plain hyper.

mod in_axum;
mod in_hyper;
mod in_tonic;
#[path = "../requests/support.rs"]
mod support;
