//! Why a limiter could not be built.

use std::path::PathBuf;

use aforo_policy::file::FileError;
use aforo_store::OpenError;
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
        "store {store:?} is at {url}, which needs the feature `{feature}` of the crate aforo; \
         this build does not have it"
    )]
    StoreNotBuilt {
        /// The store's name.
        store: String,
        /// Its address, without a password.
        url: String,
        /// The feature.
        feature: &'static str,
    },
    /// A store's address cannot be understood.
    #[error("store {store:?}: {source}")]
    StoreUrl {
        /// The store's name.
        store: String,
        /// What is wrong.
        source: OpenError,
    },
    /// A store is shared, and there is no secret to hash its partition keys with.
    #[error(
        "store {store:?} is shared, so every instance needs the same hash key: make one with \
         `openssl rand -hex 16`, and give it to each as the variable AFORO_HASH_KEY or as a file \
         that hash_key_file in [stores.{store}] names"
    )]
    HashKeyMissing {
        /// The store's name.
        store: String,
    },
    /// The secret is none.
    #[error(
        "what {place} holds is no hash key: expected 32 hexadecimal digits, such as \
         `openssl rand -hex 16` prints"
    )]
    HashKeyWrong {
        /// Where it came from.
        place: String,
    },
    /// The file of the secret cannot be read.
    #[error("cannot read the hash_key_file {path}: {source}")]
    HashKeyUnreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The secret is given twice, and not the same.
    #[error(
        "there are two hash keys: the variable AFORO_HASH_KEY holds another one than the \
         hash_key_file; keep one of them"
    )]
    TwoHashKeys,
    /// A reload brings the first shared store.
    #[error(
        "store {store:?} is the first shared one: partition keys are hashed with a secret of this \
         process until now, so that it takes a new start"
    )]
    HashKeyAtStart {
        /// The store's name.
        store: String,
    },
    /// A secret is not where the file says.
    #[error(
        "the secret of {what} is not there: {place} cannot be read; make one with \
         `openssl rand -hex 32`"
    )]
    SecretMissing {
        /// Whose secret.
        what: String,
        /// Where it should be.
        place: String,
    },
    /// A secret is too short to be one.
    #[error(
        "what {place} holds is too short for {what}: expected at least 32 bytes, such as \
         `openssl rand -hex 32` prints"
    )]
    SecretTooShort {
        /// Whose secret.
        what: String,
        /// Where it came from.
        place: String,
    },
    /// Credentials cannot be verified as `[identity]` says.
    #[error("[identity]: {0}")]
    Identity(String),
    /// The registry of consumers cannot be used.
    #[cfg(any(feature = "registry-sqlite", feature = "registry-postgres"))]
    #[error(transparent)]
    Registry(crate::registry::RegistryError),
    /// No registry of consumers is built in.
    #[error(
        "the file has a registry of consumers, which needs the feature `registry-sqlite` or \
         `registry-postgres` of the crate aforo; this build has neither"
    )]
    RegistryNotBuilt,
    /// A name is used twice.
    #[error("the {what} {name:?} is in the file already; give it another name")]
    Duplicate {
        /// A policy or a plan.
        what: &'static str,
        /// Its name.
        name: String,
    },
}
