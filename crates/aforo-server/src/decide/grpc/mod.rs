//! Envoy's rate limit service, version 3, over gRPC; with health and reflection.

mod asked;
mod attributes;
mod connection;
mod desk;
mod messages;
mod quotas;
mod reflection;
mod response;
mod service;

pub(super) use connection::serve;
pub(super) use desk::Desk;
