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
    /// A store's kind is not built in.
    #[error(
        "store {store:?} has the url {url:?}, which this build does not provide; use url = \"memory\" \
         or bring the store with LimiterBuilder::store"
    )]
    UnknownStore {
        /// The store's name.
        store: String,
        /// Its URL.
        url: String,
    },
    /// A name is used twice.
    #[error("the {what} {name:?} is in the file already; give it another name")]
    Duplicate {
        /// A policy or a plan.
        what: &'static str,
        /// Its name.
        name: String,
    },
}
