//! The consumers by the hashes of their API keys.

use std::sync::Arc;

use aforo_policy::Consumer;

/// The consumers by the SHA-256 of their API keys.
#[derive(Debug, Default)]
pub struct ApiKeys {}

impl ApiKeys {
    /// The keys of all consumers.
    pub fn new<'a>(consumers: impl IntoIterator<Item = &'a Arc<Consumer>>) -> Self {
        for _ in consumers {}
        Self {}
    }

    /// The consumer whose API key this is.
    pub fn consumer(&self, key: &[u8]) -> Option<&Arc<Consumer>> {
        let _ = key;
        None
    }

    /// The consumer of this id, for ids that a trusted peer verified.
    pub fn consumer_by_id(&self, id: &str) -> Option<&Arc<Consumer>> {
        let _ = id;
        None
    }
}
