//! Policies, stores and a clock: facts in, decision out.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use ::http::Request;
use aforo_core::{Decision, Outcome};
use aforo_policy::Settings;
use http_body::Body;
use thiserror::Error;

use crate::{Admission, BuildError, LimiterBuilder};

/// Policies, stores and a clock: facts in, decision out. Clones share everything.
#[derive(Clone)]
pub struct Limiter {
    pub(crate) inner: Arc<Inner>,
}

/// What clones share.
pub(crate) struct Inner {}

/// What [`Limiter::check`] answers.
#[derive(Clone, Debug)]
pub struct Check {
    /// Whether to go on.
    pub decision: Decision,
    /// The numbers; `None` for an unlimited policy.
    pub outcome: Option<Outcome>,
}

/// Why [`Limiter::check`] could not answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// No policy of this name.
    #[error("there is no policy named {0:?}; name it in [policies] or with LimiterBuilder::policy")]
    UnknownPolicy(String),
    /// The store failed and the policy says `deny`.
    #[error(transparent)]
    Store(#[from] aforo_store::StoreError),
}

impl Limiter {
    /// A limiter put together by hand.
    pub fn builder() -> LimiterBuilder {
        LimiterBuilder::default()
    }

    /// A limiter from an aforo file.
    ///
    /// # Errors
    /// When the file cannot be read or has errors; all of them at once.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, BuildError> {
        let _ = path;
        todo!()
    }

    /// A limiter from validated settings.
    ///
    /// # Errors
    /// When a store cannot be set up.
    pub fn from_settings(settings: Settings) -> Result<Self, BuildError> {
        let _ = settings;
        todo!()
    }

    /// Takes one unit of the policy `policy` for `partition` (an account, an address, anything).
    ///
    /// # Errors
    /// When there is no such policy.
    pub async fn check(
        &self,
        policy: &str,
        partition: &(impl AsRef<[u8]> + ?Sized),
    ) -> Result<Check, CheckError> {
        let _ = (policy, partition.as_ref());
        todo!()
    }

    /// The whole way of one request: edge, identity, charges, decision. `peer` is the socket's
    /// peer. Reads the body only when a policy counts by it.
    pub async fn admit<B>(&self, request: Request<B>, peer: Option<SocketAddr>) -> Admission<B>
    where
        B: Body,
    {
        let _ = (request, peer);
        todo!()
    }
}
