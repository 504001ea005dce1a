//! What a metric hook is told.

use std::net::IpAddr;

use aforo_core::Mode;
use aforo_store::StoreError;

use crate::{Signal, StoreState};

/// Is told what the limiter does, for metrics and logs. Every method does nothing by default.
///
/// It is called on the way of each request, so it should only count. It never sees a partition
/// key or a credential.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use aforo::{Judged, Limiter, Observer};
///
/// #[derive(Default)]
/// struct Denials(AtomicU64);
///
/// impl Observer for Denials {
///     fn judged(&self, judged: &Judged<'_>) {
///         if !judged.fits {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// # fn main() -> Result<(), aforo::BuildError> {
/// let limiter = Limiter::builder()
///     .policy("exports", "5/hour")
///     .observer(Denials::default())
///     .build()?;
/// # let _ = limiter;
/// # Ok(())
/// # }
/// ```
pub trait Observer: Send + Sync {
    /// One policy was put against one request or call.
    fn judged(&self, judged: &Judged<'_>) {
        let _ = judged;
    }

    /// A request was decided: it passes, or is answered with `status`.
    fn decided(&self, decided: Decided) {
        let _ = decided;
    }

    /// A peer that nobody trusts sent a forwarding header: behind a load balancer that is not in
    /// `trusted_proxies`, everybody shares one bucket.
    fn untrusted_forwarding(&self, peer: IpAddr) {
        let _ = peer;
    }

    /// A store failed, or was not asked because it had failed; its setting `on_store_failure` was
    /// followed. Once for each question.
    fn store_failed(&self, store: &str, error: &StoreError) {
        let _ = (store, error);
    }

    /// A policy's denial was known from a moment ago, so that no store was asked.
    fn near_cache_hit(&self, store: &str, policy: &str) {
        let _ = (store, policy);
    }

    /// Whether [`Observer::signal`] wants to be told anything: asked once, when the limiter is built.
    /// Without it nothing is noticed, and no memory is taken for it.
    fn wants_signals(&self) -> bool {
        false
    }

    /// Somebody may be trying to get round limits.
    fn signal(&self, signal: &Signal<'_>) {
        let _ = signal;
    }

    /// A store's state changed: it failed five times in a row, or answers again.
    fn store_changed(&self, store: &str, state: StoreState) {
        let _ = (store, state);
    }
}

/// One policy, put against one request or call.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The policy's name.
    pub policy: &'a str,
    /// Whether it is enforced or only watched.
    pub mode: Mode,
    /// Whether the charge fits.
    pub fits: bool,
    /// The units it asked for.
    pub cost: u64,
    /// Whether the units were taken: the charge fits, and so do all others of the request.
    pub taken: bool,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// It goes on.
    Passed,
    /// It goes on after it was held for a leaky bucket's slot.
    Delayed,
    /// It was answered with this status.
    Answered(u16),
}

/// Observes nothing.
pub(crate) struct Nobody;

impl Observer for Nobody {}
