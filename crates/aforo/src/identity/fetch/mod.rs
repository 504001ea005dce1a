//! Asking an HTTP endpoint: whose an API key is, and which keys tokens are signed with.

mod client;
mod http_lookup;
mod keys;

pub(crate) use client::{Client, FetchError};
pub(crate) use http_lookup::HttpLookup;
pub(crate) use keys::FetchedKeys;
