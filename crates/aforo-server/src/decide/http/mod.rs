//! HTTP with JSON: `/v1/decide`, `/v1/peek`, `/v1/refund`, and `/forward-auth` for other gateways.

mod answer;
mod connection;
mod date;
mod deciding;
mod desk;
mod exchange;
mod forward_auth;
mod guard;
mod head;
mod incoming;
mod json;
mod openapi;
mod pen;
mod problem;
mod receipts;
mod short;
mod watched;
mod wire;

pub(super) use connection::serve;
pub(super) use desk::Desk;
pub(super) use receipts::Receipts;
