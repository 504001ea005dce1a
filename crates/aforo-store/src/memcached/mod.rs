//! The store in Memcached.

mod calls;
mod client;
mod expiry;
mod failure;
mod round;
mod value;

use std::fmt;

use crate::{Answer, Batch, Charged, OpenError, Receipt, Remote, Store};
use calls::Calls;

/// Keeps counters in one Memcached (1.6 or newer), shared by many instances, where that is what
/// there is: prefer Redis.
///
/// Its url is `memcached://HOST:PORT`. It connects on first use and again by itself, on a thread
/// of its own: any executor can wait for its answers.
///
/// All counters of a partition key are one value, which is read, decided on here and written only
/// if nobody else wrote it in between (compare-and-swap). Memcached has no clock to ask: the wall
/// clock of the machine that decides counts, so the clocks of all instances should agree within a
/// second. What eviction can cost, and all bounds, are in `docs/memcached.md`.
///
/// ```
/// use aforo_core::HashKey;
/// use aforo_store::{MemcachedStore, Remote};
/// let secret = HashKey::new([1, 2]);
/// let store = MemcachedStore::open(&Remote::new("memcached://cache:11211", secret.fingerprint()));
/// assert!(store.is_ok());
/// ```
pub struct MemcachedStore {
    calls: Calls,
}

const EXPECTED: &str = "memcached://HOST:PORT, such as memcached://127.0.0.1:11211";
/// Its own, when the url names none.
const PORT: u16 = 11_211;

impl MemcachedStore {
    /// A store by its url; it connects on first use.
    ///
    /// # Errors
    /// When the url or the namespace cannot be used, or no thread can be had.
    pub fn open(remote: &Remote) -> Result<Self, OpenError> {
        let address = address(&remote.url).ok_or_else(|| OpenError::Url {
            problem: "it names no server".to_owned(),
            expected: EXPECTED,
        })?;
        // A key is at most 250 bytes without blanks, and each starts with the namespace.
        let printable = remote.namespace.bytes().all(|byte| byte.is_ascii_graphic());
        if !matches!(remote.namespace.len(), 1..=100) || !printable {
            return Err(OpenError::Url {
                problem: "the namespace starts its keys".to_owned(),
                expected: "a namespace of 1 to 100 printable ASCII characters",
            });
        }
        let calls = Calls::new(address, remote)?;
        Ok(Self { calls })
    }
}

/// The host and port of a url.
fn address(url: &str) -> Option<String> {
    let rest = url.strip_prefix("memcached://")?;
    let host = rest.strip_suffix('/').unwrap_or(rest);
    let odd = |byte: u8| !byte.is_ascii_graphic() || b"/@?#,".contains(&byte);
    if host.is_empty() || host.bytes().any(odd) {
        return None;
    }
    // An IPv6 address stands in brackets.
    let name_end = host
        .rfind(']')
        .map_or(0, |bracket| bracket.saturating_add(1));
    match host.get(name_end..)?.rsplit_once(':') {
        None => Some(format!("{host}:{PORT}")),
        Some((_, port)) => port.parse::<u16>().ok().map(|_| host.to_owned()),
    }
}

impl fmt::Debug for MemcachedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemcachedStore")
    }
}

impl Store for MemcachedStore {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        Answer::waiting(self.calls.charge(batch))
    }

    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        Answer::waiting(self.calls.peek(batch))
    }

    fn refund(&self, receipt: Receipt) -> Answer<'_, ()> {
        Answer::waiting(self.calls.settle(receipt, None))
    }

    fn settle<'a>(
        &'a self,
        receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()> {
        Answer::waiting(self.calls.settle(receipt, Some(true_cost)))
    }

    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()> {
        Answer::waiting(self.calls.reset(batch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_host_and_perhaps_a_port() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(address("memcached://cache"), some("cache:11211"));
        assert_eq!(address("memcached://cache:1/"), some("cache:1"));
        assert_eq!(address("memcached://[::1]"), some("[::1]:11211"));
        assert_eq!(address("memcached://[::1]:7"), some("[::1]:7"));
        for wrong in [
            "memcached:",
            "memcached://",
            "redis://cache",
            "memcached://a b",
            "memcached://a:70000",
            "memcached://a:",
            "memcached://user@a",
            "memcached://a,b",
        ] {
            assert_eq!(address(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_namespace_fits_into_a_key() {
        let open = |namespace: &str| {
            let mut remote = Remote::new("memcached://cache", 0);
            remote.namespace = namespace.to_owned();
            MemcachedStore::open(&remote).is_ok()
        };
        assert!(open("a:b") && open(&"n".repeat(100)));
        assert!(!open("") && !open("a b") && !open("a\n") && !open("ñ") && !open(&"n".repeat(101)));
    }
}
