//! What a lookup says.

use aforo_core::Timestamp;
use thiserror::Error;

/// A consumer that was found outside the file.
///
/// ```
/// use aforo::identity::Found;
/// let found = Found { plan: Some("pro".to_owned()), ..Found::new("acme") };
/// assert_eq!(found.id, "acme");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The consumer's id, 1 to 256 bytes without control characters: what it is counted by. The id
    /// of a consumer of the file is that consumer.
    pub id: String,
    /// Its plan as the file names it; `None`: `default_plan`.
    pub plan: Option<String>,
    /// Its team as the file names it.
    pub team: Option<String>,
    /// Its organisation.
    pub org: Option<String>,
    /// What the API key is called where it may be seen: never the key.
    pub key: Option<String>,
    /// Its negotiated quotas.
    pub overrides: Vec<FoundOverride>,
    /// The first instant at which the key is no longer valid.
    pub expires: Option<Timestamp>,
}

/// A negotiated quota of a consumer that was found outside the file. One whose policy the file does
/// not have, or whose quota cannot be understood, is logged and left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundOverride {
    /// The policy's name.
    pub policy: String,
    /// The quota as the file would write it, `2000/minute burst 400`.
    pub quota: String,
    /// The first instant at which it holds; `None`: since ever.
    pub from: Option<Timestamp>,
    /// The first instant at which it no longer holds; `None`: for ever.
    pub until: Option<Timestamp>,
    /// Why.
    pub reason: Option<String>,
}

impl Found {
    /// A consumer of which only the id is known.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            plan: None,
            team: None,
            org: None,
            key: None,
            overrides: Vec::new(),
            expires: None,
        }
    }
}

/// Why a lookup could not say whose a key is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LookupError {
    /// It took longer than its timeout.
    #[error("no answer within the timeout")]
    Timeout,
    /// Whoever knows did not answer, or is not asked because it failed several times in a row.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// The answer makes no sense.
    #[error("the answer is not understood: {0}")]
    Misunderstood(String),
}
