//! Peers that send forwarding headers and that nobody trusts.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use super::marks::Marks;

/// Peers that sent a forwarding header and that nobody trusts: every header is counted, each peer
/// is named once.
///
/// It holds at most 256 peers, so that neither memory nor the log grows with what strangers send;
/// others are counted and not named.
#[derive(Debug, Default)]
pub struct UntrustedPeers {
    named: Marks,
    seen: AtomicU64,
}

impl UntrustedPeers {
    /// Counts a forwarding header from `peer`, and warns when it is the peer's first.
    pub fn saw(&self, peer: IpAddr) {
        if self.is_first(peer) {
            tracing::warn!(
                %peer,
                "a peer outside trusted_proxies sends a forwarding header: it is counted as the \
                 caller itself. If it is your load balancer, add it to identity.trusted_proxies, \
                 or everybody behind it shares one bucket"
            );
        }
    }

    /// How many forwarding headers came from untrusted peers, for a metric.
    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    /// Counts a header; whether this is the peer's first and there was room to remember it.
    fn is_first(&self, peer: IpAddr) -> bool {
        self.seen.fetch_add(1, Ordering::Relaxed);
        self.named.is_first(&peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rl_02_each_peer_is_named_once_and_every_header_is_counted() {
        let peers = UntrustedPeers::default();
        let (first, second) = (IpAddr::from([172, 17, 0, 1]), IpAddr::from([172, 17, 0, 2]));
        let named: Vec<bool> = [first, first, second, first, second]
            .map(|peer| peers.is_first(peer))
            .to_vec();
        assert_eq!(named, [true, false, true, false, false]);
        assert_eq!(peers.seen(), 5);
    }

    #[test]
    fn a_flood_of_peers_is_named_at_most_256_times() {
        let peers = UntrustedPeers::default();
        let named = (0_u32..100_000)
            .filter(|n| peers.is_first(IpAddr::from(n.to_be_bytes())))
            .count();
        assert!((200..=256).contains(&named), "{named}");
        assert_eq!(peers.seen(), 100_000);
    }
}
