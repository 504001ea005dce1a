//! The time unit that a quota computes in.

/// The finest of these that divides a quota's window and keeps its products below 2⁵³.
///
/// Every store computes in the same unit, so that a Redis script's doubles are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Unit {
    /// 1 µs.
    Microsecond,
    /// 1,000 µs.
    Millisecond,
    /// 1,000,000 µs.
    Second,
}

impl Unit {
    /// All units, the finest first.
    pub const ALL: [Self; 3] = [Self::Microsecond, Self::Millisecond, Self::Second];

    /// How many microseconds one unit is.
    pub const fn micros(self) -> u64 {
        match self {
            Self::Microsecond => 1,
            Self::Millisecond => 1_000,
            Self::Second => 1_000_000,
        }
    }
}
