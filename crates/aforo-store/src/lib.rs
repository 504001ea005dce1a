//! Where Aforo keeps its counters.
//!
//! A request brings a [`Batch`] of charges: one policy, one partition key and one cost each. A
//! [`Store`] takes the whole batch or none of it, at its own time, and answers with an outcome
//! for each charge and a [`Receipt`] for what it took. Every store decides identically on the
//! same sequence of times and batches.
//!
//! ```
//! use aforo_core::{Charge, HashKey, PolicyName, Principal, Quota, Span, Terms};
//! use aforo_store::{Batch, MemoryStore, Store};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let work = async {
//! let quota = Quota::token_bucket(60, Span::from_seconds(60), Some(10))?;
//! let policy = Terms::new(PolicyName::new("per-consumer")?, quota);
//! let secret = HashKey::new([0x1f2e_3d4c, 0x5b6a_7988]);
//! let hash = secret.hash(b"consumer 42");
//! let charge = Charge::new(&policy, Principal::known(hash), 4);
//!
//! let store = MemoryStore::new();
//! let mut batch = Batch::new();
//! batch.push(charge);
//! let charged = store.charge(&batch).await?;
//! assert!(charged.taken);
//! assert_eq!(charged.outcomes[0].remaining, 6);
//!
//! // The request turned out to cost one unit only.
//! store.settle(charged.receipt, &|_| 1).await?;
//! assert_eq!(store.peek(&batch).await?.outcomes[0].remaining, 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # };
//! # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
//! # match std::pin::pin!(work).poll(&mut context) {
//! #     std::task::Poll::Ready(done) => done,
//! #     std::task::Poll::Pending => unreachable!(),
//! # }
//! # }
//! ```
//!
//! # Answers, denials, failures
//!
//! A denial is a value ([`Charged::taken`] is false and the outcomes say why); a store that could
//! not answer is a [`StoreError`]. An [`Answer`] may be there already: awaiting the memory
//! store's never waits.
//!
//! # Which store
//!
//! The [`MemoryStore`] keeps everything in this process and is the default. See there for its
//! bounds, what happens when they are reached, and what its counters say. Stores that several
//! instances share are behind features: `redis`, `postgres` and `sqlite` (one `SqlStore`),
//! `memcached`. They are opened by the url of a [`Remote`].
//!
//! `Thread` and `Pool` are what the SQL stores keep their connections with; others that ask a
//! database from any executor may use them too.
//!
//! # Time
//!
//! A store has its own [`Clock`]; whoever asks has none. The [`SystemClock`] is monotonic and
//! anchored to wall time once. Tests move a [`ManualClock`] by hand.
//!
//! # Writing a store
//!
//! With the feature `conformance` the module `conformance` holds the suite that every store
//! passes: golden vectors, random sequences compared with the pure core to the bit, and cases
//! from the field.

mod answer;
mod batch;
mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod leased;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "memcached"))]
mod ledger;
#[cfg(feature = "memcached")]
mod memcached;
mod memory;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "memcached"))]
mod pool;
mod receipt;
#[cfg(feature = "redis")]
mod redis;
mod remote;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod sql;
mod store;
#[cfg(any(
    feature = "redis",
    feature = "sqlite",
    feature = "postgres",
    feature = "memcached"
))]
mod thread;

pub use answer::Answer;
pub use batch::{Batch, Charged, Distinct};
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "memcached"))]
pub use clock::WallClock;
pub use clock::{Clock, ManualClock, SystemClock};
pub use error::StoreError;
pub use leased::{LeaseStats, LeasedStore};
#[cfg(feature = "memcached")]
pub use memcached::MemcachedStore;
pub use memory::{MemoryStats, MemoryStore, MemoryStoreBuilder, TableStats};
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "memcached"))]
pub use pool::{Held, Pool};
pub use receipt::{Receipt, ReceiptLine};
#[cfg(feature = "redis")]
pub use redis::RedisStore;
pub use remote::{OpenError, Remote};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use sql::SqlStore;
pub use store::Store;
#[cfg(any(
    feature = "redis",
    feature = "sqlite",
    feature = "postgres",
    feature = "memcached"
))]
pub use thread::Thread;
