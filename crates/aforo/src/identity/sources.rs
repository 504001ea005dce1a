//! What a file says of credentials, made ready.

use std::sync::Arc;

use aforo_core::HashKey;
use aforo_policy::Settings;
use aforo_policy::file::Environment;
use aforo_store::Clock;

use super::{ApiKeys, Directory, Tokens};
use crate::BuildError;

/// Where the consumers behind credentials are known.
#[derive(Default)]
pub(crate) struct Sources {
    /// Those of the file.
    pub(crate) api_keys: ApiKeys,
    /// Those that are known elsewhere.
    pub(crate) directory: Option<Arc<Directory>>,
    /// Those whose tokens are believed.
    pub(crate) tokens: Option<Arc<Tokens>>,
}

impl Sources {
    /// The sources of a file. What was remembered of the same ones before stays.
    pub(crate) fn new(
        settings: &Settings,
        before: Option<&Self>,
        clock: &Arc<dyn Clock>,
        hash_key: &HashKey,
        environment: &dyn Environment,
    ) -> Result<Self, BuildError> {
        let directory = before.and_then(|before| before.directory.as_ref());
        let tokens = before.and_then(|before| before.tokens.as_ref());
        Ok(Self {
            api_keys: ApiKeys::new(settings.consumers.values()),
            directory: self::directory(settings, directory, clock, environment)?,
            tokens: self::tokens(settings, tokens, clock, hash_key, environment)?,
        })
    }

    /// Whether anybody is known by a credential: where nobody is, one is the application's own
    /// business.
    pub(crate) fn know_anybody(&self, settings: &Settings) -> bool {
        !settings.consumers.is_empty() || self.directory.is_some() || self.tokens.is_some()
    }
}

/// The directory at the file's `registry` or `url`, or the application's own.
fn directory(
    settings: &Settings,
    before: Option<&Arc<Directory>>,
    clock: &Arc<dyn Clock>,
    environment: &dyn Environment,
) -> Result<Option<Arc<Directory>>, BuildError> {
    let identity = &settings.identity;
    if let Some(before) = before.filter(|before| before.stays(identity)) {
        return Ok(Some(Arc::clone(before)));
    }
    if let Some(url) = &identity.registry {
        let directory = super::lookup::of_registry(url, identity, clock)?;
        return Ok(Some(Arc::new(directory)));
    }
    let lookups = &identity.lookups;
    let Some(url) = &lookups.url else {
        return Ok(None);
    };
    #[cfg(feature = "lookup")]
    {
        let token = match &lookups.token {
            Some(secret) => {
                let read = crate::secret::read(secret, environment);
                Some(read.map_err(|missing| missing.of("the lookup's token"))?.0)
            }
            None => None,
        };
        let client = super::fetch::Client::new(url, token.as_deref().map(str::trim));
        let client = client.map_err(|error| BuildError::Identity(error.to_string()))?;
        let lookup = Box::new(super::fetch::HttpLookup(client));
        let directory = Directory::new(lookup, lookups, Arc::clone(clock)).named_by(identity);
        Ok(Some(Arc::new(directory)))
    }
    #[cfg(not(feature = "lookup"))]
    {
        let _ = (url, clock, environment);
        Err(not_built("lookup"))
    }
}

#[cfg(feature = "jwt")]
fn tokens(
    settings: &Settings,
    before: Option<&Arc<Tokens>>,
    clock: &Arc<dyn Clock>,
    hash_key: &HashKey,
    environment: &dyn Environment,
) -> Result<Option<Arc<Tokens>>, BuildError> {
    let Some(jwt) = &settings.identity.jwt else {
        return Ok(None);
    };
    if let Some(before) = before.filter(|before| before.stay(jwt, settings)) {
        return Ok(Some(Arc::clone(before)));
    }
    match Tokens::new(jwt, settings, clock, hash_key, environment) {
        Ok(tokens) => Ok(Some(Arc::new(tokens))),
        Err(error) => Err(BuildError::Identity(error.to_string())),
    }
}

#[cfg(not(feature = "jwt"))]
fn tokens(
    settings: &Settings,
    _: Option<&Arc<Tokens>>,
    _: &Arc<dyn Clock>,
    _: &HashKey,
    _: &dyn Environment,
) -> Result<Option<Arc<Tokens>>, BuildError> {
    match &settings.identity.jwt {
        Some(_) => Err(not_built("jwt")),
        None => Ok(None),
    }
}

#[cfg(not(all(feature = "jwt", feature = "lookup")))]
fn not_built(feature: &'static str) -> BuildError {
    BuildError::Identity(format!(
        "it needs the feature `{feature}` of the crate aforo; this build does not have it"
    ))
}
