//! The registry as what a limiter asks for keys that the file does not have.

use super::{Known, NegotiatedQuota, Registry, RegistryError};
use crate::identity::{Found, FoundOverride, Lookup, LookupAnswer, LookupError, PresentedKey};

impl Lookup for Registry {
    fn find<'a>(&'a self, key: &'a PresentedKey) -> LookupAnswer<'a> {
        Box::pin(async move { answer(self.by_sha256(key.sha256()).await) })
    }

    fn find_by_id<'a>(&'a self, id: &'a str) -> LookupAnswer<'a> {
        Box::pin(async move { answer(self.by_id(id).await) })
    }
}

fn answer(known: Result<Option<Known>, RegistryError>) -> Result<Option<Found>, LookupError> {
    match known {
        Ok(known) => Ok(known.map(found)),
        Err(RegistryError::Timeout) => Err(LookupError::Timeout),
        Err(error) => Err(LookupError::Unavailable(error.to_string())),
    }
}

fn found(known: Known) -> Found {
    let consumer = known.consumer;
    Found {
        id: consumer.id,
        plan: consumer.plan,
        team: consumer.team,
        org: consumer.org,
        key: known.api_key.map(|id| format!("aforo_{id}")),
        overrides: known.overrides.into_iter().map(negotiated).collect(),
        expires: known.expires,
    }
}

fn negotiated(one: NegotiatedQuota) -> FoundOverride {
    FoundOverride {
        policy: one.policy,
        quota: one.quota,
        from: Some(one.starts),
        until: one.ends,
        reason: one.reason,
    }
}
