//! Consumers that are known elsewhere, and how long what is said of them holds.

use aforo_core::Span;

use super::Secret;

/// How API keys are looked up that are not in the file, and how long the answers hold.
#[derive(Clone, Debug)]
pub struct Lookups {
    /// The endpoint that is asked, `http` or `https`; `None`: the application brings a lookup of
    /// its own, or there is none.
    pub url: Option<http::Uri>,
    /// The bearer token that the endpoint is asked with.
    pub token: Option<Secret>,
    /// How long an answer may take.
    pub timeout: Span,
    /// How long a consumer is known by an answer: so long a revoked key still works.
    pub cache: Span,
    /// How long a key is known to be nobody's: so long a new key may not work yet.
    pub cache_unknown: Span,
    /// How long after that a consumer is still taken for known while no answer comes.
    pub stale: Span,
    /// How many keys of consumers are remembered.
    pub max_known: usize,
    /// How many keys that are nobody's are remembered, in a space of their own.
    pub max_unknown: usize,
    /// What a caller is whose key is not known while no answer comes.
    pub on_failure: OnLookupFailure,
}

/// What a caller is whose credential cannot be verified just now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLookupFailure {
    /// An anonymous one, charged to its address; denials say that its credential is `unverified`.
    #[default]
    Anonymous,
    /// 503.
    Deny,
}

impl Default for Lookups {
    fn default() -> Self {
        Self {
            url: None,
            token: None,
            timeout: Span::from_seconds(1),
            cache: Span::from_seconds(30),
            cache_unknown: Span::from_seconds(5),
            stale: Span::from_seconds(3_600),
            max_known: 65_536,
            max_unknown: 16_384,
            on_failure: OnLookupFailure::default(),
        }
    }
}
