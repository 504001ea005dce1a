//! HTTP/1.1 to an upstream without a task in between: the request's own future writes the head and
//! reads the answer. hyper's client drives a connection in a task of its own and hands requests,
//! answers and bodies over through channels, which costs more than the rest of a small request.
//!
//! Only requests without a body go this way. A head is written in one piece, an answer is read by
//! RFC 9112 §6.3, and whatever could be read in two ways is refused. What needs more (bodies,
//! upgrades, trailers asked for) goes through hyper.

mod chunks;
mod connection;
mod error;
mod field_names;
mod framing;
mod request_head;
mod response_head;

pub(super) use connection::Connection;
pub(in crate::gateway) use error::DirectError;
