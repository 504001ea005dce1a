//! Why the registry did not do what it was asked for.

use aforo_store::{OpenError, StoreError};
use thiserror::Error;

/// Why the registry did not do what it was asked for. It shows neither an API key nor the
/// database's password.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The address names no database that a registry can be in.
    #[error("the registry's address is wrong: {problem}; expected {expected}")]
    Url {
        /// What is wrong, without the address itself.
        problem: String,
        /// What it should look like.
        expected: &'static str,
    },
    /// The kind of database is not built in.
    #[error(
        "the registry is in a database that needs the feature `{feature}` of the crate aforo; this \
         build does not have it"
    )]
    NotBuilt {
        /// The feature.
        feature: &'static str,
    },
    /// The thread that serves its connections cannot start.
    #[error("the registry's thread cannot start: {0}")]
    Thread(String),
    /// The database did not answer in time.
    #[error("the registry did not answer in time; is its database busy or unreachable?")]
    Timeout,
    /// The database cannot be reached, or failed.
    #[error("the registry is not available: {0}")]
    Unavailable(String),
    /// A newer version made its tables.
    #[error("the registry's tables were made by a newer version of Aforo: update this program")]
    NewerTables,
    /// The operating system gave no random numbers.
    #[error("no API key can be made: the operating system gave no random numbers")]
    NoRandomness,
    /// There is no such consumer.
    #[error("there is no consumer `{0}`")]
    NoConsumer(String),
    /// There is such a consumer already.
    #[error("there is a consumer `{0}` already; ids are unique")]
    ConsumerExists(String),
    /// The team belongs to another organisation.
    #[error("the team `{team}` belongs to the organisation `{org}`; leave the organisation out")]
    TeamOfAnotherOrg {
        /// The team.
        team: String,
        /// Its organisation.
        org: String,
    },
    /// There is no such API key.
    #[error("there is no API key `{0}`; `aforo consumer show` lists those of a consumer")]
    NoApiKey(String),
    /// The API key was revoked or has expired.
    #[error("the API key `{0}` is over: it was revoked or has expired; issue a new one")]
    ApiKeyOver(String),
    /// There is no override to end.
    #[error("the consumer `{consumer}` has no override of `{policy}` to end")]
    NoOverride {
        /// The consumer.
        consumer: String,
        /// The policy.
        policy: String,
    },
    /// An override would end before it starts.
    #[error("the override would end before it starts")]
    EndsBeforeStart,
}

impl RegistryError {
    /// Whether the database is to blame rather than what was asked.
    pub const fn is_outage(&self) -> bool {
        matches!(
            self,
            Self::Thread(_) | Self::Timeout | Self::Unavailable(_) | Self::NewerTables
        )
    }
}

impl From<StoreError> for RegistryError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Timeout => Self::Timeout,
            other => Self::Unavailable(other.to_string()),
        }
    }
}

impl From<OpenError> for RegistryError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Url { problem, expected } => Self::Url { problem, expected },
            other => Self::Thread(other.to_string()),
        }
    }
}
