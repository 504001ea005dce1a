//! Why a store could not answer.

use thiserror::Error;

/// A store failed. Never a denial: a denial is an outcome.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It did not answer in time.
    #[error("the store did not answer within its timeout")]
    Timeout,
    /// It could not be reached or answered nonsense.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// It holds the fingerprint of another secret.
    #[error(
        "the store counts with another hash key: give every instance that shares it the same \
         AFORO_HASH_KEY or hash_key_file"
    )]
    HashKeyDiffers,
}
