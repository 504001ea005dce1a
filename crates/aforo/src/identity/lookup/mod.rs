//! Consumers whose API keys are kept elsewhere: a registry, a database, another service.
//!
//! A [`Lookup`] answers whose a key is. In front of it the limiter keeps a cache of its own (see
//! [`Lookups`](aforo_policy::Lookups) for its figures), so that a request of a known consumer waits
//! for nobody:
//!
//! - A consumer is remembered for `cache` (30 s): so long a revoked key still works.
//! - A key that is nobody's is remembered for `cache_unknown` (5 s), in a space of its own: a flood
//!   of made-up keys drives no consumer out.
//! - Requests with the same key ask once.
//! - While no answer comes, a consumer that is remembered stays known for `stale` (1 h) after its
//!   time; any other caller is what `on_failure` says. A lookup that failed five times in a row is
//!   asked once a second.
//! - What is known of ids that were verified is remembered in the same way, in a cache, with a
//!   breaker, of its own: an endpoint that does not understand ids hinders no API key.
//! - A key that was never seen costs its address one of its 60 failed credentials a minute until the
//!   answer says that it is somebody's: an address that makes up keys soon has none of them looked
//!   up.

mod answer;
mod asked;
mod cache;
mod directory;
mod flight;
mod key;
mod registry;
pub(crate) mod resolve;
mod space;

pub use answer::{Found, FoundOverride, LookupError};
pub use key::PresentedKey;

pub(crate) use cache::{Owner, Remembered};
pub(crate) use directory::{Directory, Subject, View};
pub(crate) use registry::of_registry;
pub(crate) use space::Hash;
#[cfg(feature = "jwt")]
pub(crate) use space::Space;

use std::future::Future;
use std::pin::Pin;

/// Says whose an API key is.
///
/// Its answers are remembered, see [the module](self); it is asked for each key at most once at
/// a time, and never longer than the timeout. It is not asked for keys of the file.
///
/// ```
/// use std::collections::HashMap;
/// use aforo::identity::{Found, Lookup, LookupAnswer, PresentedKey};
///
/// struct Accounts(HashMap<[u8; 32], String>);
///
/// impl Lookup for Accounts {
///     fn find<'a>(&'a self, key: &'a PresentedKey) -> LookupAnswer<'a> {
///         Box::pin(async move {
///             let id = self.0.get(key.sha256());
///             Ok(id.map(|id| Found { plan: Some("pro".to_owned()), ..Found::new(id) }))
///         })
///     }
/// }
///
/// # fn main() -> Result<(), aforo::BuildError> {
/// let limiter = aforo::Limiter::builder()
///     .plan("anonymous", ["30/minute"])
///     .plan("pro", ["1000/minute burst 200"])
///     .lookup(Accounts(HashMap::new()))
///     .build()?;
/// # let _ = limiter;
/// # Ok(())
/// # }
/// ```
pub trait Lookup: Send + Sync {
    /// Whose the key is; `None`: nobody's.
    ///
    /// # Errors
    /// When it cannot be said now. That is not the same as `None`: a consumer that is remembered
    /// stays known for a while.
    fn find<'a>(&'a self, key: &'a PresentedKey) -> LookupAnswer<'a>;

    /// What is known of a consumer whose id was verified by other means: a token without a claim
    /// that names its plan, a client certificate, the header of a trusted peer, the application or
    /// whoever asks for a decision. The answer may name
    /// another id, which is then what the consumer is counted by. `None`: nothing, and the consumer
    /// has the default plan; so by default.
    ///
    /// # Errors
    /// When it cannot be said now.
    fn find_by_id<'a>(&'a self, id: &'a str) -> LookupAnswer<'a> {
        let _ = id;
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// What a [`Lookup`] comes to.
pub type LookupAnswer<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Found>, LookupError>> + Send + 'a>>;
