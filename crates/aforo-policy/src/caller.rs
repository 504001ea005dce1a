//! Whoever makes the request.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use crate::{Consumer, Plan};

/// Whoever makes the request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The client address: IPv4-mapped and NAT64 addresses are IPv4 already, not cut to a prefix.
    pub address: IpAddr,
    /// The consumer, when a credential was verified.
    pub consumer: Option<Arc<Consumer>>,
    /// What its API key is called where it may be seen, when whoever knows it says so.
    pub api_key: Option<Arc<str>>,
    /// The claims of its verified token that policies count by, by name; empty without a token.
    pub claims: Option<Arc<BTreeMap<String, String>>>,
    /// Its plan; `None` only when there is no plan for it.
    pub plan: Option<Arc<Plan>>,
    /// What became of its credential.
    pub credential: Credential,
}

impl Caller {
    /// Whoever came from an address, before anything else is known.
    pub const fn stranger(address: IpAddr) -> Self {
        Self {
            address,
            consumer: None,
            api_key: None,
            claims: None,
            plan: None,
            credential: Credential::Absent,
        }
    }

    /// Nobody: for what is charged without a caller.
    pub(crate) const fn nobody() -> Self {
        Self::stranger(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
    }
}

/// What became of a caller's credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Credential {
    /// None was sent.
    #[default]
    Absent,
    /// One was sent that nobody knows.
    Unrecognised,
    /// One was sent that could not be verified just now: whoever knows it did not answer.
    Unverified,
    /// One was verified.
    Verified,
}
