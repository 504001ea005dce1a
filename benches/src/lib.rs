//! What the measurements share: clocks, alternated rounds, table rows, partition keys, RSS.
//!
//! Every figure is a ratio of two medians, taken in alternation in one run: absolute times on a
//! shared machine say little. `BENCHMARKS.md` tells what each row is.

pub mod admitted;
pub mod at_once;
pub mod batched;
pub mod cpu;
pub mod governed;
pub mod keys;
pub mod resident;
pub mod row;
pub mod series;
pub mod sha256;
pub mod stored;

/// Why a measurement did not come to an end.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
