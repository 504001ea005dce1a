//! Tokens in a build without the feature `jwt`: there are none.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use aforo_policy::{Consumer, CredentialSource};

use super::lookup::View;

/// The tokens that are believed: none.
pub(crate) struct Tokens(Infallible);

/// Whose a token is.
#[allow(dead_code, reason = "as with the feature")]
pub(crate) enum TokenOwner {
    Known {
        consumer: Arc<Consumer>,
        claims: Option<Arc<BTreeMap<String, String>>>,
        names_plan: bool,
    },
    Nobody,
    Unverified,
    Fetch,
}

impl Tokens {
    pub(crate) const fn source(&self) -> &CredentialSource {
        match self.0 {}
    }

    pub(crate) const fn has_form(_: &[u8]) -> bool {
        false
    }

    pub(crate) const fn owner(&self, _: &[u8], _: &View<'_>, _: bool) -> TokenOwner {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "as with the feature")]
    pub(crate) async fn fetch(&self) {
        match self.0 {}
    }
}
