//! What a receipt knows of one charge.

use crate::Shape;

/// A charge that was taken: what is needed to give it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The shape of the state it was taken from.
    pub shape: Shape,
    /// The effective time of the charge, in units.
    pub at: u64,
    /// Units taken.
    pub cost: u64,
    /// Buckets: the level before the charge. Fixed windows: the window's end in microseconds.
    /// Sliding windows: the window's index. Logs: the entry's id.
    pub mark: u64,
}
