//! Instants in the database: microseconds since the epoch.

use aforo_core::Timestamp;

/// An instant as it is kept.
pub(super) fn kept(instant: Timestamp) -> i64 {
    i64::try_from(instant.as_micros()).unwrap_or(i64::MAX)
}

/// The instant of what is kept.
pub(super) fn instant_of(micros: i64) -> Timestamp {
    Timestamp::from_micros(u64::try_from(micros).unwrap_or(0))
}

/// The instant of what is kept, where there is one.
pub(super) fn instant_if_any(micros: Option<i64>) -> Option<Timestamp> {
    micros.map(instant_of)
}
