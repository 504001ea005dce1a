//! The algorithms, one file of pure functions each.

pub mod sliding_log;

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
