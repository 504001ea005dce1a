//! The consumer behind a request's credentials.

use std::sync::Arc;

use ::http::HeaderMap;
use aforo_policy::{Consumer, Identity};

use super::ApiKeys;

/// What became of a request's credentials.
#[derive(Clone, Debug)]
pub enum Identified {
    /// None was sent.
    Absent,
    /// What was sent verifies nobody: an anonymous caller, charged to its address.
    Unrecognised,
    /// One was verified.
    Verified(Arc<Consumer>),
}

impl Identified {
    /// The consumer behind a request's credentials: the sources in the configured order, the first
    /// that verifies; then the header of a trusted peer that authenticated.
    pub fn of(
        headers: &HeaderMap,
        peer_trusted: bool,
        identity: &Identity,
        api_keys: &ApiKeys,
    ) -> Self {
        let _ = (headers, peer_trusted, identity, api_keys);
        Self::Absent
    }
}
