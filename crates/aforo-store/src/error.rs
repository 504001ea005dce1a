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
}
