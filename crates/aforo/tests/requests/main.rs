//! The way of a request through a limiter, without a server.

mod callers;
mod check;
mod counting;
mod login;
mod settle;
mod store_failure;
mod support;
