//! The client address, from the socket's peer and what trusted proxies say.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ::http::header::FORWARDED;
use ::http::{HeaderMap, HeaderName, HeaderValue};
use aforo_policy::{ForwardedHeader, Identity, ProxyTrust};
use ipnet::{IpNet, Ipv4Net};

use super::{entry, forwarded, lines};

pub(super) const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Where a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress {
    /// The client address, canonical (see [`canonical`]), not cut to a prefix.
    pub address: IpAddr,
    /// The socket's peer, canonical.
    pub peer: IpAddr,
    /// Whether the peer is trusted to speak for others.
    pub peer_trusted: bool,
    /// Whether a peer that nobody trusts sent the forwarding header: behind a load balancer that
    /// nobody trusted, everybody shares one bucket.
    pub untrusted_forwarding: bool,
}

impl ClientAddress {
    /// The client address of a request.
    ///
    /// Only the one configured header is read, and only when the peer is trusted: all its lines
    /// joined, from the right past trusted addresses (all trusted: the left-most), or with
    /// [`ProxyTrust::Hops`] the n-th entry from the right (fewer: the peer). An entry that is no
    /// address, where one is needed, gives the peer. A header with a single address is taken as it
    /// is, whatever the number of hops; with two values it gives the peer.
    ///
    /// ```
    /// use aforo::identity::ClientAddress;
    /// use aforo::policy::{Identity, ProxyTrust};
    /// use http::{HeaderMap, HeaderValue};
    ///
    /// let mut headers = HeaderMap::new();
    /// headers.insert("x-forwarded-for", HeaderValue::from_static("1.1.1.1, 198.51.100.7"));
    /// let balancer = "10.0.0.2".parse().unwrap();
    ///
    /// let nobody_trusted = Identity::default();
    /// let client = ClientAddress::of(balancer, &headers, &nobody_trusted);
    /// assert_eq!(client.address, balancer);
    /// assert!(client.untrusted_forwarding);
    ///
    /// let trusted = Identity {
    ///     trust: ProxyTrust::Networks(vec!["10.0.0.0/8".parse().unwrap()]),
    ///     ..Identity::default()
    /// };
    /// let client = ClientAddress::of(balancer, &headers, &trusted);
    /// assert_eq!(client.address.to_string(), "198.51.100.7");
    /// ```
    pub fn of(peer: IpAddr, headers: &HeaderMap, identity: &Identity) -> Self {
        let peer = canonical(peer);
        let peer_trusted = match &identity.trust {
            ProxyTrust::Networks(networks) => is_in(networks, peer),
            ProxyTrust::Hops(hops) => *hops > 0,
        };
        let header = header_name(&identity.forwarded_header);
        let sent = lines::is_there(headers, &header);
        let told = if sent && peer_trusted {
            told(headers, &header, identity).map(canonical)
        } else {
            None
        };
        Self {
            address: told.unwrap_or(peer),
            peer,
            peer_trusted,
            untrusted_forwarding: sent && !peer_trusted,
        }
    }
}

/// The name of the one forwarding header that is read.
pub(super) fn header_name(header: &ForwardedHeader) -> HeaderName {
    match header {
        ForwardedHeader::XForwardedFor => X_FORWARDED_FOR,
        ForwardedHeader::Forwarded => FORWARDED,
        ForwardedHeader::Single(name) => name.clone(),
    }
}

/// The address that a trusted peer tells of.
fn told(headers: &HeaderMap, header: &HeaderName, identity: &Identity) -> Option<IpAddr> {
    let lines = headers.get_all(header).iter();
    match identity.forwarded_header {
        ForwardedHeader::Single(_) => single(lines),
        ForwardedHeader::XForwardedFor => {
            chosen(lines.rev().flat_map(plain_from_right), &identity.trust)
        }
        ForwardedHeader::Forwarded => {
            let entries = lines
                .rev()
                .flat_map(|line| forwarded::addresses_from_right(line.as_bytes()));
            chosen(entries, &identity.trust)
        }
    }
}

/// The address of a header that holds only one.
fn single<'a>(mut lines: impl Iterator<Item = &'a HeaderValue>) -> Option<IpAddr> {
    let line = lines.next()?;
    match lines.next() {
        None => entry::address(line.as_bytes()),
        Some(_) => None,
    }
}

/// The entries of a line of `X-Forwarded-For`, from the right; empty ones are skipped.
fn plain_from_right(line: &HeaderValue) -> impl Iterator<Item = Option<IpAddr>> {
    line.as_bytes()
        .rsplit(|byte| *byte == b',')
        .map(<[u8]>::trim_ascii)
        .filter(|entry| !entry.is_empty())
        .map(entry::address)
}

/// The entry that counts, of entries from the right.
fn chosen(mut entries: impl Iterator<Item = Option<IpAddr>>, trust: &ProxyTrust) -> Option<IpAddr> {
    match trust {
        ProxyTrust::Hops(hops) => entries.nth(hops.checked_sub(1)?)?,
        ProxyTrust::Networks(networks) => {
            let mut last = None;
            for entry in entries {
                let address = entry?;
                last = Some(address);
                if !is_in(networks, canonical(address)) {
                    break;
                }
            }
            last
        }
    }
}

/// Whether a canonical address is in one of the networks.
fn is_in(networks: &[IpNet], address: IpAddr) -> bool {
    networks
        .iter()
        .any(|network| canonical_network(*network).contains(&address))
}

/// IPv4-mapped (`::ffff:0:0/96`, RFC 4291) and NAT64 (`64:ff9b::/96`, RFC 6052) addresses as the
/// IPv4 address they hold; others as they are.
///
/// ```
/// use aforo::identity::canonical;
/// let mapped = canonical("::ffff:192.0.2.1".parse().unwrap());
/// assert_eq!(mapped.to_string(), "192.0.2.1");
/// ```
pub fn canonical(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => embedded(address).map_or(IpAddr::V6(address), IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    const LAST_32: u128 = 0xffff_ffff;
    const NAT64: u128 = 0x0064_ff9b << 96;
    if address.to_bits() & !LAST_32 == NAT64 {
        return u32::try_from(address.to_bits() & LAST_32)
            .ok()
            .map(Ipv4Addr::from_bits);
    }
    address.to_ipv4_mapped()
}

/// A network of embedded IPv4 addresses as the IPv4 network it is.
fn canonical_network(network: IpNet) -> IpNet {
    let IpNet::V6(v6) = network else {
        return network;
    };
    let v4 = v6
        .prefix_len()
        .checked_sub(96)
        .zip(embedded(v6.addr()))
        .and_then(|(length, address)| Ipv4Net::new(address, length).ok());
    v4.map_or(network, IpNet::V4)
}

/// The canonical address cut to its prefix: IPv6 to `ipv6` bits (128 at most), IPv4 whole.
///
/// ```
/// use aforo::identity::prefix;
/// assert_eq!(prefix("2001:db8:1:2:3::4".parse().unwrap(), 48).to_string(), "2001:db8:1::");
/// ```
pub fn prefix(address: IpAddr, ipv6: u8) -> IpAddr {
    match canonical(address) {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let host_bits = 128_u32.saturating_sub(u32::from(ipv6));
            let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
        }
    }
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
