//! Why a command did nothing.

use aforo::registry::{RegistryError, TextError};
use aforo_policy::StoreUrlError;
use thiserror::Error;

use crate::file::Invalid;

#[derive(Debug, Error)]
pub(super) enum Failure {
    /// Nobody said where the registry is.
    #[error(
        "where is the registry? Name it with --registry, such as --registry sqlite:consumers.db, or \
         as `registry` in [identity] of --file"
    )]
    NoRegistry,
    /// The address is none.
    #[error("the registry's address is wrong: {0}")]
    Address(StoreUrlError),
    /// The file.
    #[error(transparent)]
    File(#[from] Invalid),
    /// An argument.
    #[error("{argument}: {error}")]
    Text {
        argument: &'static str,
        error: TextError,
    },
    /// An argument that is not what it should be.
    #[error("{argument}: {problem}; expected {expected}")]
    Argument {
        argument: &'static str,
        problem: String,
        expected: String,
    },
    /// A quota that is wrong or makes no sense.
    #[error("the quota: {0}")]
    Quota(String),
    /// Nobody knows who asks.
    #[error("who are you? The system does not say; tell it with --by")]
    Nobody,
    /// The registry.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// Nothing can wait.
    #[error("cannot wait for the registry: {0}")]
    Runtime(std::io::Error),
}

impl Failure {
    /// 1: not done; 2: what was given is invalid; 3: the registry cannot be reached.
    pub(super) const fn code(&self) -> u8 {
        match self {
            Self::Registry(RegistryError::Url { .. }) => 2,
            Self::Registry(error) if error.is_outage() => 3,
            Self::Registry(_) | Self::Runtime(_) => 1,
            _ => 2,
        }
    }
}
