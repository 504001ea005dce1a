//! A request's charges, put to the stores.

use ::http::request::Parts;
use aforo_policy::CanonicalPath;

use super::entry::{Entry, Stopped, facts_of};
use super::facts;
use crate::taking::{How, Taking};

/// What is known of the body.
#[derive(Clone, Copy)]
pub(super) enum Asking<'a> {
    /// No policy counts by it.
    Without,
    /// It is not here yet: only what counts without it is asked.
    BeforeBody,
    /// All of it.
    With(&'a [u8]),
}

impl Entry {
    /// Puts the request's charges to the stores.
    pub(super) async fn judge(
        &self,
        parts: &Parts,
        asking: Asking<'_>,
        how: How,
    ) -> Result<Taking, Stopped> {
        let inner = &self.limiter.inner;
        let policies = &self.setup.policies;
        let target = facts::target(parts);
        let path = CanonicalPath::new(target.path(), &self.setup.settings().paths)
            .map_err(Stopped::Path)?;
        let body = match asking {
            Asking::With(bytes) => Some(bytes),
            Asking::Without | Asking::BeforeBody => None,
        };
        let facts = facts_of(parts, &path, body);
        let matched = match facts::router_template(parts) {
            Some(template) => policies.matched_template(&facts, template),
            None => policies.matched(&facts),
        };
        let (caller, place, now, key) = (&self.caller, inner.place, self.now, &inner.key);
        let charges = match asking {
            Asking::BeforeBody => {
                policies.bodiless_charges(&facts, caller, &matched, place, now, key)
            }
            _ => policies.charges(&facts, caller, &matched, place, now, key),
        }
        .map_err(Stopped::Refusal)?;
        if self.client.is_none() && self.counts_by_address(&charges.planned) {
            return Err(Stopped::PeerUnknown);
        }
        Ok(Taking::put(&self.setup.stores, &charges.planned, how, &*inner.observer).await)
    }
}
