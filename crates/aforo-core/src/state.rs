//! What a store keeps between two charges.

use crate::{Algorithm, Unit};

/// The counters of one policy and partition key. Every number is below 2⁵³, in the policy's unit.
///
/// | algorithm | `first` | `second` |
/// |---|---|---|
/// | token and leaky bucket | level L, in 1/w of a unit | 0 |
/// | fixed window | units taken in the window | the window's end, in microseconds |
/// | sliding window | units taken in the window of `last` | units taken in the one before |
/// | sum of a sliding log, see [`crate::Log::stored`] | units in the window | 0 |
///
/// A sliding log itself is a [`crate::Log`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// The time of the last admitted charge, in units since the epoch.
    pub last: u64,
    /// See the table.
    pub first: u64,
    /// See the table.
    pub second: u64,
}

/// The shape of a state: when a policy's shape changes, its states are carried over by the rule
/// for changed quotas; otherwise they stay to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The algorithm that wrote the state.
    pub algorithm: Algorithm,
    /// The unit it counts time in.
    pub unit: Unit,
    /// The window's length in that unit: for buckets w, reduced with the amount; for the others
    /// the whole window; zero for calendar windows.
    pub window: u64,
}

/// A state and the shape it was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stored {
    /// What the numbers mean.
    pub shape: Shape,
    /// The numbers.
    pub state: State,
}
