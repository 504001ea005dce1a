//! One kind of question to a lookup: what is remembered of the answers, and how it goes.

use aforo_policy::Lookups;

use super::cache::Cache;
use super::flight::Flights;
use crate::stores::breaker::Breaker;

/// One kind of question to a lookup: what is remembered of the answers, and how it goes. Each has
/// a memory of its own, so that no API key is taken for an id.
pub(super) struct Asked {
    pub(super) cache: Cache,
    pub(super) flights: Flights,
    pub(super) breaker: Breaker,
    /// What is asked about, in words.
    pub(super) about: &'static str,
}

impl Asked {
    pub(super) fn new(about: &'static str, settings: &Lookups) -> Self {
        Self {
            cache: Cache::new(settings),
            flights: Flights::default(),
            breaker: Breaker::default(),
            about,
        }
    }
}
