//! Descriptors of Envoy's rate limit service.

use std::sync::Arc;

use super::Policy;

/// What a descriptor is counted by.
#[derive(Clone, Debug)]
pub struct Descriptor {
    /// The domain.
    pub domain: String,
    /// Its entries in order, at least one.
    pub entries: Vec<EntryMatch>,
    /// The policies; none: it is not counted.
    pub policies: Vec<Arc<Policy>>,
}

/// What fits one entry of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryMatch {
    /// The entry's key.
    pub key: String,
    /// The values that fit.
    pub value: ValueMatch,
}

/// The values that fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueMatch {
    /// This one.
    Exact(String),
    /// Those that begin so.
    Prefix(String),
    /// All.
    Any,
}
