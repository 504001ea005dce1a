//! Whoever makes the request.

use std::net::IpAddr;
use std::sync::Arc;

use crate::{Consumer, Plan};

/// Whoever makes the request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The client address: IPv4-mapped and NAT64 addresses are IPv4 already, not cut to a prefix.
    pub address: IpAddr,
    /// The consumer, when a credential was verified.
    pub consumer: Option<Arc<Consumer>>,
    /// Its plan; `None` only when there is no plan for it.
    pub plan: Option<Arc<Plan>>,
    /// What became of its credential.
    pub credential: Credential,
}

/// What became of a caller's credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Credential {
    /// None was sent.
    #[default]
    Absent,
    /// One was sent that nobody knows.
    Unrecognised,
    /// One was verified.
    Verified,
}
