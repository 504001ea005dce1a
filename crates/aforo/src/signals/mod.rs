//! Signs that somebody tries to get round limits, noticed in a fixed amount of memory.
//!
//! Five [sketches](sketch::Sketch) of 256 entries, together under 200 kB. Four of them are touched
//! when a request fails or is denied, and only that of consumers' addresses by one that passes: each
//! thread remembers the last 1,024 pairs of consumer and address, and a pair it remembers costs no
//! more than that look; another is left out where a second thread is at the sketch.

mod recent;
mod signal;
mod sketch;

use std::hash::{BuildHasher, Hash, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use ::http::HeaderMap;
use aforo_core::Timestamp;
use aforo_policy::{Consumer, Identity};

pub use signal::Signal;

use crate::Observer;
use recent::Recent;
use sketch::Sketch;

/// The length of a window, in microseconds.
const WINDOW: u64 = 15 * 60 * 1_000_000;
/// Subjects that a sketch follows.
const ENTRIES: usize = 256;
/// Different failed credentials of an address.
const CREDENTIALS: u32 = 30;
/// Different accounts of an address.
const ACCOUNTS: u32 = 10;
/// Different addresses of a consumer.
const ADDRESSES: u32 = 100;
/// Different consumers that were denied.
const CONSUMERS: u32 = 5;

/// Notices whoever tries to get round limits.
pub(crate) struct Signals {
    hasher: RandomState,
    recent: Recent,
    credentials: Mutex<Sketch>,
    accounts: Mutex<Sketch>,
    addresses: Mutex<Sketch>,
    denied_at: Mutex<Sketch>,
    denied_of: Mutex<Sketch>,
}

/// Whom to tell, and when it is.
#[derive(Clone, Copy)]
pub(crate) struct Telling<'a> {
    pub(crate) observer: &'a dyn Observer,
    pub(crate) now: Timestamp,
}

impl Signals {
    /// Signals of which nothing is known yet.
    pub(crate) fn new() -> Self {
        let sketch = |threshold| Mutex::new(Sketch::new(ENTRIES, threshold));
        let hasher = RandomState::new();
        Self {
            recent: Recent::new(hasher.hash_one("recent")),
            hasher,
            credentials: sketch(CREDENTIALS),
            accounts: sketch(ACCOUNTS),
            addresses: sketch(ADDRESSES),
            denied_at: sketch(CONSUMERS),
            denied_of: sketch(CONSUMERS),
        }
    }

    /// What an address sent verified nobody.
    pub(crate) fn failed_credential(
        &self,
        address: IpAddr,
        headers: &HeaderMap,
        identity: &Identity,
        telling: Telling<'_>,
    ) {
        let sources = identity.api_key.iter();
        let sources = sources.chain(identity.jwt.iter().map(|jwt| &jwt.source));
        let sent: Vec<&[u8]> = sources
            .filter_map(|source| headers.get(&source.header))
            .map(::http::HeaderValue::as_bytes)
            .collect();
        if let Some(at_least) = self.saw(&self.credentials, &address, &sent, telling.now) {
            telling
                .observer
                .signal(&Signal::FailedCredentials { address, at_least });
        }
    }

    /// A response said that an address failed with a partition of a policy.
    pub(crate) fn failed_account(
        &self,
        address: IpAddr,
        policy: &str,
        partition: impl Hash,
        telling: Telling<'_>,
    ) {
        let subject = (address, policy);
        if let Some(at_least) = self.saw(&self.accounts, &subject, &partition, telling.now) {
            let signal = Signal::FailedAccounts {
                address,
                policy,
                at_least,
            };
            telling.observer.signal(&signal);
        }
    }

    /// A consumer's credential was verified. `address` cuts the address as it is counted.
    pub(crate) fn verified(
        &self,
        consumer: &Arc<Consumer>,
        raw: IpAddr,
        address: impl Fn() -> IpAddr,
        telling: Telling<'_>,
    ) {
        let window = window(telling.now);
        let Some(mark) = self.recent.mark(consumer, raw, window) else {
            return;
        };
        let id = consumer.id.as_str();
        let (subject, element) = (self.hasher.hash_one(id), self.hasher.hash_one(address()));
        let mut sketch = match self.addresses.try_lock() {
            Ok(sketch) => sketch,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let told = sketch.saw(subject, element, window);
        drop(sketch);
        self.recent.remember(mark);
        if let Some(at_least) = told {
            let consumer = id;
            telling
                .observer
                .signal(&Signal::ManyAddresses { consumer, at_least });
        }
    }

    /// A consumer was denied at an address.
    pub(crate) fn denied(&self, consumer: &Consumer, address: IpAddr, telling: Telling<'_>) {
        let now = telling.now;
        if let Some(at_least) = self.saw(&self.denied_at, &address, &consumer.id, now) {
            telling
                .observer
                .signal(&Signal::DeniedAtAddress { address, at_least });
        }
        let team = consumer.team.as_ref().map(|team| team.name.as_str());
        let Some(owner) = consumer.org.as_deref().or(team) else {
            return;
        };
        let subject = (consumer.org.is_some(), owner);
        if let Some(at_least) = self.saw(&self.denied_of, &subject, &consumer.id, now) {
            telling
                .observer
                .signal(&Signal::DeniedOfOwner { owner, at_least });
        }
    }

    fn saw(
        &self,
        sketch: &Mutex<Sketch>,
        subject: &impl Hash,
        element: &impl Hash,
        now: Timestamp,
    ) -> Option<u32> {
        let (subject, element) = (self.hasher.hash_one(subject), self.hasher.hash_one(element));
        let mut sketch = sketch.lock().unwrap_or_else(PoisonError::into_inner);
        sketch.saw(subject, element, window(now))
    }
}

const fn window(now: Timestamp) -> u64 {
    now.as_micros() / WINDOW
}
