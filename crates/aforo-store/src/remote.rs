//! How a store that several instances share is opened.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::Clock;

/// Where a shared store is, and how this instance asks it. Its `Debug` does not show the address,
/// which may hold a password.
///
/// ```
/// use aforo_core::HashKey;
/// use aforo_store::Remote;
/// let secret: HashKey = "000102030405060708090a0b0c0d0e0f".parse()?;
/// let remote = Remote::new("redis://127.0.0.1:6379", secret.fingerprint());
/// assert_eq!(remote.namespace, "aforo");
/// # Ok::<(), aforo_core::HashKeyError>(())
/// ```
#[derive(Clone)]
pub struct Remote {
    /// Its address.
    pub url: String,
    /// What every name in it starts with, so that several limiters can share one. Default: `aforo`.
    pub namespace: String,
    /// How long an answer may take. Default: 50 ms.
    pub timeout: Duration,
    /// The fingerprint of the secret that partition keys are hashed with. It is kept in the
    /// store, and a store that holds another one fails: two instances with different secrets
    /// would count apart without anybody noticing.
    pub fingerprint: u64,
    /// The time, where a test sets it. Default: the store's own.
    pub clock: Option<Arc<dyn Clock>>,
}

/// A shared store that cannot be opened, whether or not it is up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The address cannot be understood.
    #[error("the store's url is wrong: {problem}; expected {expected}")]
    Url {
        /// What is wrong, without any secret.
        problem: String,
        /// What it should look like.
        expected: &'static str,
    },
    /// The thread that serves its connection cannot start.
    #[error("the store's thread cannot start: {0}")]
    Thread(String),
}

impl Remote {
    /// The store at `url`, with the defaults.
    pub fn new(url: impl Into<String>, fingerprint: u64) -> Self {
        Self {
            url: url.into(),
            namespace: "aforo".to_owned(),
            timeout: Duration::from_millis(50),
            fingerprint,
            clock: None,
        }
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("namespace", &self.namespace)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
