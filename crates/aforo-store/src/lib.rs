//! Where Aforo keeps its counters.
//!
//! A [`Store`] takes a whole [`Batch`] of charges or none of it, and answers with outcomes and a
//! [`Receipt`]. The [`MemoryStore`] keeps everything in this process and answers at once.

mod answer;
mod batch;
mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod memory;
mod receipt;
mod store;

pub use answer::Answer;
pub use batch::{Batch, Charged};
pub use clock::{Clock, ManualClock, SystemClock};
pub use error::StoreError;
pub use memory::{MemoryStats, MemoryStore, MemoryStoreBuilder, TableStats};
pub use receipt::{Receipt, ReceiptLine};
pub use store::Store;
