//! Consumers that are known elsewhere, and what is remembered of them.

use std::sync::Arc;

use ::http::Uri;
use aforo_core::{Span, Timestamp};
use aforo_policy::{Identity, Lookups, Secret, Settings, StoreUrl};
use aforo_store::Clock;

use super::cache::{Cache, Owner, Remembered};
use super::flight::{Answer, Asking, Flights};
use super::space::Hash;
use super::{Found, Lookup, LookupAnswer, LookupError, PresentedKey, resolve};
use crate::identity::marks::Marks;
use crate::stores::StoreState;
use crate::stores::breaker::Breaker;

/// Consumers that are known elsewhere, and what is remembered of them. A reload keeps it.
pub(crate) struct Directory {
    lookup: Box<dyn Lookup>,
    clock: Arc<dyn Clock>,
    cache: Cache,
    flights: Flights,
    breaker: Breaker,
    told: Marks,
    /// What the file names, when it is that one that is asked.
    named: Option<Named>,
}

/// Whom a file says to ask.
#[derive(PartialEq)]
enum Named {
    Registry(StoreUrl),
    /// With the token it is asked with.
    Endpoint(Uri, Option<Secret>),
}

/// The file and the time that a request is seen with.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) settings: &'a Arc<Settings>,
    /// Which file it is.
    pub(crate) generation: u64,
    pub(crate) now: Timestamp,
}

impl Directory {
    /// A directory that remembers nothing yet. How much it remembers is said by the first file.
    pub(crate) fn new(lookup: Box<dyn Lookup>, settings: &Lookups, clock: Arc<dyn Clock>) -> Self {
        Self {
            lookup,
            clock,
            cache: Cache::new(settings),
            flights: Flights::default(),
            breaker: Breaker::default(),
            told: Marks::default(),
            named: None,
        }
    }

    /// The same, asking whom the file names.
    #[cfg(any(
        feature = "lookup",
        feature = "registry-sqlite",
        feature = "registry-postgres"
    ))]
    pub(crate) fn named_by(mut self, identity: &Identity) -> Self {
        self.named = Named::of(identity);
        self
    }

    /// Whether it is the same under another file: the application's own always.
    pub(crate) fn stays(&self, identity: &Identity) -> bool {
        self.named.is_none() || self.named == Named::of(identity)
    }

    /// What is known of a key without asking.
    pub(crate) fn remembered(&self, hash: &Hash, view: &View<'_>) -> Remembered {
        self.cache.remembered(hash, view, &self.told)
    }

    /// Whose a key is; `None`: nobody's.
    ///
    /// # Errors
    /// When there is no answer, and none from before that still holds.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        key: PresentedKey,
        hash: &Hash,
        view: &View<'_>,
    ) -> Result<Option<Owner>, LookupError> {
        let begin = || Arc::clone(self).asking(key, *hash, Arc::clone(view.settings));
        let answer = self.flights.answer(hash, begin).await;
        let view = View {
            now: self.clock.now(),
            ..*view
        };
        match answer {
            Ok(None) => Ok(None),
            Ok(Some(found)) => Ok(Some(match self.remembered(hash, &view) {
                Remembered::Known(owner) => owner,
                // Not to be remembered at all, or driven out meanwhile.
                _ => self.owner(&found, &view),
            })
            .filter(|_| found.expires.is_none_or(|end| view.now < end))),
            Err(error) => match self.cache.stale(hash, &view, &self.told) {
                Some(owner) => Ok(Some(owner)),
                None => Err(error),
            },
        }
    }

    fn owner(&self, found: &Found, view: &View<'_>) -> Owner {
        Owner {
            consumer: resolve::consumer(found, view.settings, &self.told),
            api_key: found.key.as_deref().map(Arc::from),
        }
    }

    /// Asks, and remembers the answer, whoever is still there to hear it.
    fn asking(self: Arc<Self>, key: PresentedKey, hash: Hash, settings: Arc<Settings>) -> Asking {
        Box::pin(async move {
            let lookups = &settings.identity.lookups;
            let answer = self.asked(&key, lookups.timeout).await;
            if let Ok(found) = &answer {
                let now = self.clock.now();
                self.cache.remember(&hash, found.as_ref(), now, lookups);
            }
            answer
        })
    }

    async fn asked(&self, key: &PresentedKey, patience: Span) -> Answer {
        let Some(passed) = self.breaker.let_through(self.clock.now(), patience) else {
            return Err(LookupError::Unavailable(
                "it failed several times in a row and is asked once a second".to_owned(),
            ));
        };
        let answer = within(patience, self.lookup.find(key)).await;
        let answer = answer.and_then(|found| match found {
            Some(found) => resolve::check(&found).map(|()| Some(Arc::new(found))),
            None => Ok(None),
        });
        match &answer {
            Ok(_) => {
                if passed.answered().is_some() {
                    tracing::info!("the lookup of API keys answers again");
                }
            }
            Err(error) => {
                tracing::debug!(%error, "the lookup of an API key failed");
                let now = self.clock.now();
                if passed.failed(now, StoreState::Fails).is_some() {
                    tracing::warn!(
                        %error,
                        "the lookup of API keys failed several times in a row and is asked once a \
                         second; consumers known before stay known for a while"
                    );
                }
            }
        }
        answer
    }
}

impl Named {
    fn of(identity: &Identity) -> Option<Self> {
        if let Some(registry) = &identity.registry {
            return Some(Self::Registry(registry.clone()));
        }
        let lookups = &identity.lookups;
        let url = lookups.url.clone()?;
        Some(Self::Endpoint(url, lookups.token.clone()))
    }
}

/// The answer, or a timeout.
#[cfg(feature = "tokio")]
async fn within(patience: Span, answer: LookupAnswer<'_>) -> Result<Option<Found>, LookupError> {
    if tokio::runtime::Handle::try_current().is_err() {
        return answer.await;
    }
    match tokio::time::timeout(patience.into(), answer).await {
        Ok(answer) => answer,
        Err(_elapsed) => Err(LookupError::Timeout),
    }
}

/// The answer: without tokio's timer the lookup alone keeps to its timeout.
#[cfg(not(feature = "tokio"))]
async fn within(_: Span, answer: LookupAnswer<'_>) -> Result<Option<Found>, LookupError> {
    answer.await
}

impl std::fmt::Debug for Directory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Directory").finish_non_exhaustive()
    }
}
