//! What a client connection is doing, for its timeouts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use tokio::time::{Duration, Instant};

/// What a client connection is doing. Written on the way of a request, read only when the
/// connection's one coarse timer fires: a request arms no timer of its own.
#[derive(Debug)]
pub(super) struct Activity {
    born: Instant,
    exchanges: AtomicU32,
    bytes_came: AtomicBool,
    body_comes: AtomicBool,
    quiet_since: AtomicU64,
    stalled_since: AtomicU64,
}

/// No stall.
const FLOWING: u64 = u64::MAX;

/// Held while a request is being answered, up to the last byte of its response's body.
#[derive(Debug)]
pub(super) struct Exchange(Arc<Activity>);

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            born: Instant::now(),
            exchanges: AtomicU32::new(0),
            bytes_came: AtomicBool::new(true),
            body_comes: AtomicBool::new(false),
            quiet_since: AtomicU64::new(0),
            stalled_since: AtomicU64::new(FLOWING),
        })
    }

    /// A request came; whether a body follows.
    pub(super) fn begin(self: &Arc<Self>, has_body: bool) -> Exchange {
        self.body_comes.store(has_body, Relaxed);
        self.exchanges.fetch_add(1, Relaxed);
        self.bytes_came.store(false, Relaxed);
        Exchange(Arc::clone(self))
    }

    /// Bytes came from the client.
    pub(super) fn bytes_came(&self) {
        self.bytes_came.store(true, Relaxed);
    }

    /// The client keeps us waiting: its body does not come, or it does not read.
    pub(super) fn stalls(&self) {
        if self.stalled_since.load(Relaxed) == FLOWING {
            self.stalled_since.store(self.now(), Relaxed);
        }
    }

    /// The client moves again.
    pub(super) fn flows(&self) {
        if self.stalled_since.load(Relaxed) != FLOWING {
            self.stalled_since.store(FLOWING, Relaxed);
        }
    }

    /// Whether a request is being answered.
    pub(super) fn is_answering(&self) -> bool {
        self.exchanges.load(Relaxed) > 0
    }

    /// The whole body of the request has come.
    pub(super) fn body_came(&self) {
        self.body_comes.store(false, Relaxed);
    }

    /// Whether the client has said all of its request and waits for the answer (HTTP/1).
    pub(super) fn only_waits(&self) -> bool {
        self.is_answering() && !self.body_comes.load(Relaxed)
    }

    /// Whether the beginning of a head has come, but not all of it (or nothing at all yet).
    pub(super) fn has_partial_head(&self) -> bool {
        self.bytes_came.load(Relaxed) && !self.is_answering()
    }

    /// When the last exchange ended; the connection's birth before the first.
    pub(super) fn quiet_since(&self) -> Instant {
        self.instant(self.quiet_since.load(Relaxed))
    }

    /// Since when the client keeps us waiting in the middle of an exchange.
    pub(super) fn stalled_since(&self) -> Option<Instant> {
        let since = self.stalled_since.load(Relaxed);
        (since != FLOWING).then(|| self.instant(since))
    }

    fn now(&self) -> u64 {
        u64::try_from(self.born.elapsed().as_micros()).unwrap_or(FLOWING)
    }

    fn instant(&self, micros: u64) -> Instant {
        let since_birth = Duration::from_micros(micros);
        self.born.checked_add(since_birth).unwrap_or(self.born)
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.quiet_since.store(self.0.now(), Relaxed);
        self.0.exchanges.fetch_sub(1, Relaxed);
    }
}
