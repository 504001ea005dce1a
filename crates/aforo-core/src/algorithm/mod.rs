//! The algorithms, one file of pure functions each.

pub(crate) mod carry;
pub(crate) mod clock;
pub(crate) mod fixed_window;
pub(crate) mod leaky_bucket;
pub(crate) mod log_sum;
pub mod sliding_log;
pub(crate) mod sliding_window;
pub(crate) mod token_bucket;

/// How a quota is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Algorithm {
    /// Units flow back evenly up to a burst. GCRA is the same machine in ATM words.
    TokenBucket,
    /// Requests are held until what came before has drained.
    LeakyBucket,
    /// A counter per window.
    FixedWindow,
    /// This window's counter and the weighted one before.
    SlidingWindow,
    /// The exact times of admitted charges.
    SlidingLog,
}
