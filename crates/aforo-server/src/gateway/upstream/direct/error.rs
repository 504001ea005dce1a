//! Why an upstream's answer is none.

use std::io;

use thiserror::Error;

/// Why an upstream's answer is none.
#[derive(Debug, Error)]
pub(in crate::gateway) enum DirectError {
    /// The connection broke.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The upstream closed it before its answer was complete.
    #[error("the connection was closed before the answer was complete")]
    Ended,
    /// An answer that is not HTTP/1.1, or that can be read in two ways.
    #[error("the answer is not valid: {0}")]
    Malformed(&'static str),
}
