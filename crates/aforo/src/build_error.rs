//! Why a limiter could not be built.

use std::path::PathBuf;

use aforo_policy::file::FileError;
use thiserror::Error;

/// Why a limiter could not be built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file has errors.
    #[error(transparent)]
    File(#[from] FileError),
}
