//! How many connections may be open, in all and per client address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use aforo::identity::{canonical, prefix};
use aforo_policy::{Identity, ProxyTrust};
use tokio::sync::Notify;

/// How many connections may be open, in all and per client address. Touched when a connection
/// opens or closes, never by a request.
#[derive(Debug)]
pub(super) struct Caps {
    total: usize,
    per_address: usize,
    trust: ProxyTrust,
    ipv6_prefix: u8,
    open: AtomicUsize,
    by_address: Mutex<HashMap<IpAddr, usize>>,
}

/// A worker's open connections; a drain waits until there are none.
#[derive(Debug, Default)]
pub(super) struct Gauge {
    open: AtomicUsize,
    none_left: Notify,
}

/// A place among the open connections, given back when the socket is gone.
#[derive(Debug)]
pub(super) struct Place {
    caps: Arc<Caps>,
    gauge: Arc<Gauge>,
    address: Option<IpAddr>,
}

/// Why a connection is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// `max_connections` are open.
    Total,
    /// `max_connections_per_address` are open from this address.
    Address,
}

impl Caps {
    pub(super) fn new(total: usize, per_address: usize, identity: &Identity) -> Arc<Self> {
        Arc::new(Self {
            total,
            per_address,
            trust: identity.trust.clone(),
            ipv6_prefix: identity.ipv6_prefix,
            open: AtomicUsize::new(0),
            by_address: Mutex::new(HashMap::new()),
        })
    }

    /// A place for a connection from `peer`.
    pub(super) fn take(self: &Arc<Self>, peer: IpAddr, gauge: &Arc<Gauge>) -> Result<Place, Full> {
        if self.open.fetch_add(1, Relaxed) >= self.total {
            self.open.fetch_sub(1, Relaxed);
            return Err(Full::Total);
        }
        let peer = canonical(peer);
        let address = (!self.is_proxy(peer)).then(|| prefix(peer, self.ipv6_prefix));
        if address.is_some_and(|address| !self.count(address)) {
            self.open.fetch_sub(1, Relaxed);
            return Err(Full::Address);
        }
        gauge.open.fetch_add(1, Relaxed);
        Ok(Place {
            caps: Arc::clone(self),
            gauge: Arc::clone(gauge),
            address,
        })
    }

    /// A peer that speaks for others brings many connections by nature.
    fn is_proxy(&self, peer: IpAddr) -> bool {
        match &self.trust {
            ProxyTrust::Networks(networks) => networks.iter().any(|net| net.contains(&peer)),
            ProxyTrust::Hops(_) => true,
        }
    }

    fn count(&self, address: IpAddr) -> bool {
        let mut by_address = self
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let open = by_address.entry(address).or_default();
        if *open >= self.per_address {
            return false;
        }
        *open = open.saturating_add(1);
        true
    }

    fn uncount(&self, address: IpAddr) {
        let mut by_address = self
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = by_address.get_mut(&address) {
            *open = open.saturating_sub(1);
            if *open == 0 {
                by_address.remove(&address);
            }
        }
    }
}

impl Gauge {
    /// How many are open.
    pub(super) fn open(&self) -> usize {
        self.open.load(Relaxed)
    }

    /// Waits until none is open.
    pub(super) async fn none_left(&self) {
        while self.open() > 0 {
            self.none_left.notified().await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(address) = self.address {
            self.caps.uncount(address);
        }
        self.caps.open.fetch_sub(1, Relaxed);
        if self.gauge.open.fetch_sub(1, Relaxed) == 1 {
            self.gauge.none_left.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caps(total: usize, per_address: usize, trusted: &[&str]) -> Arc<Caps> {
        let networks = trusted.iter().map(|net| net.parse().unwrap()).collect();
        let identity = Identity {
            trust: ProxyTrust::Networks(networks),
            ..Identity::default()
        };
        Caps::new(total, per_address, &identity)
    }

    #[test]
    fn a_place_is_given_back_when_it_is_dropped() {
        let (caps, gauge) = (caps(2, 2, &[]), Arc::default());
        let first = caps.take([10, 0, 0, 1].into(), &gauge).unwrap();
        let _second = caps.take([10, 0, 0, 2].into(), &gauge).unwrap();
        let full = caps.take([10, 0, 0, 3].into(), &gauge);
        assert_eq!(full.unwrap_err(), Full::Total);
        drop(first);
        assert!(caps.take([10, 0, 0, 3].into(), &gauge).is_ok());
    }

    #[test]
    fn one_address_cannot_take_all_places_but_a_trusted_proxy_may() {
        let (caps, gauge) = (caps(10, 1, &["10.9.0.0/16"]), Arc::default());
        let _held = caps.take([10, 0, 0, 1].into(), &gauge).unwrap();
        let full = caps.take([10, 0, 0, 1].into(), &gauge);
        assert_eq!(full.unwrap_err(), Full::Address);
        let _other = caps.take([10, 0, 0, 2].into(), &gauge).unwrap();
        let _proxied = [(); 3].map(|()| caps.take([10, 9, 0, 1].into(), &gauge).unwrap());
        assert_eq!(gauge.open(), 5);
    }

    #[test]
    fn an_address_without_connections_leaves_nothing_behind() {
        let (caps, gauge) = (caps(10, 1, &[]), Arc::default());
        drop(caps.take([10, 0, 0, 1].into(), &gauge).unwrap());
        assert!(caps.by_address.lock().unwrap().is_empty());
        assert_eq!(gauge.open(), 0);
    }
}
