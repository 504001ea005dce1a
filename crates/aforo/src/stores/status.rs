//! How a store is.

use aforo_store::LeaseStats;

/// How a store is, see [`Limiter::stores`](crate::Limiter::stores).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreStatus {
    /// Its name in the file.
    pub name: String,
    /// Whether it is outside this process.
    pub shared: bool,
    /// Its state.
    pub state: StoreState,
    /// What its leased policies have taken in advance and given back since the start.
    pub leases: LeaseStats,
}

/// The state of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreState {
    /// It answers, as far as is known.
    Answers,
    /// It failed several times in a row. One question a second asks whether it is back; all others
    /// follow `on_store_failure` at once.
    Fails,
    /// The same, since it counts with another hash key: this instance would count apart from the
    /// others.
    HashKeyDiffers,
}
