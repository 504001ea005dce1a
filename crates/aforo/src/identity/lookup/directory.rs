//! Consumers that are known elsewhere, and what is remembered of them.

use std::sync::Arc;

use ::http::Uri;
use aforo_core::{Span, Timestamp};
use aforo_policy::{Identity, Lookups, Secret, Settings, StoreUrl};
use aforo_store::Clock;

use super::asked::Asked;
use super::cache::{Owner, Remembered};
use super::flight::{Answer, Asking};
use super::space::Hash;
use super::{Found, Lookup, LookupAnswer, LookupError, PresentedKey, resolve};
use crate::identity::marks::Marks;
use crate::stores::StoreState;

/// Consumers that are known elsewhere, and what is remembered of them. A reload keeps it.
pub(crate) struct Directory {
    lookup: Box<dyn Lookup>,
    clock: Arc<dyn Clock>,
    keys: Asked,
    ids: Asked,
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

/// What a directory is asked about.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// Whose an API key is.
    Key(PresentedKey),
    /// A consumer whose id was verified.
    Id(Arc<str>),
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
            keys: Asked::new("API keys", settings),
            ids: Asked::new("consumers by id", settings),
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

    /// What is known of an API key without asking.
    pub(crate) fn remembered(&self, hash: &Hash, view: &View<'_>) -> Remembered {
        self.keys.cache.remembered(hash, view, &self.told)
    }

    /// What is known of a consumer's id without asking.
    pub(crate) fn remembered_id(&self, hash: &Hash, view: &View<'_>) -> Remembered {
        self.ids.cache.remembered(hash, view, &self.told)
    }

    const fn asked_about(&self, subject: &Subject) -> &Asked {
        match subject {
            Subject::Key(_) => &self.keys,
            Subject::Id(_) => &self.ids,
        }
    }

    /// Whose a key is, or what is known of a consumer; `None`: nobody's, nothing.
    ///
    /// # Errors
    /// When there is no answer, and none from before that still holds.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        subject: Subject,
        hash: &Hash,
        view: &View<'_>,
    ) -> Result<Option<Owner>, LookupError> {
        let asked = self.asked_about(&subject);
        let begin = || Arc::clone(self).asking(subject, *hash, Arc::clone(view.settings));
        let answer = asked.flights.answer(hash, begin).await;
        let view = View {
            now: self.clock.now(),
            ..*view
        };
        match answer {
            Ok(None) => Ok(None),
            Ok(Some(found)) => Ok(Some(match asked.cache.remembered(hash, &view, &self.told) {
                Remembered::Known(owner) => owner,
                // Not to be remembered at all, or driven out meanwhile.
                _ => self.owner(&found, &view),
            })
            .filter(|_| found.expires.is_none_or(|end| view.now < end))),
            Err(error) => match asked.cache.stale(hash, &view, &self.told) {
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
    fn asking(self: Arc<Self>, subject: Subject, hash: Hash, settings: Arc<Settings>) -> Asking {
        Box::pin(async move {
            let lookups = &settings.identity.lookups;
            let answer = self.answered(&subject, lookups.timeout).await;
            if let Ok(found) = &answer {
                let now = self.clock.now();
                let cache = &self.asked_about(&subject).cache;
                cache.remember(&hash, found.as_ref(), now, lookups);
            }
            answer
        })
    }

    async fn answered(&self, subject: &Subject, patience: Span) -> Answer {
        let asked = self.asked_about(subject);
        let about = asked.about;
        let Some(passed) = asked.breaker.let_through(self.clock.now(), patience) else {
            return Err(LookupError::Unavailable(
                "it failed several times in a row and is asked once a second".to_owned(),
            ));
        };
        let answer = match subject {
            Subject::Key(key) => self.lookup.find(key),
            Subject::Id(id) => self.lookup.find_by_id(id),
        };
        let answer = within(patience, answer).await;
        let answer = answer.and_then(|found| match found {
            Some(found) => resolve::check(&found).map(|()| Some(Arc::new(found))),
            None => Ok(None),
        });
        match &answer {
            Ok(_) => {
                if passed.answered().is_some() {
                    tracing::info!("the lookup of {about} answers again");
                }
            }
            Err(error) => {
                tracing::debug!(%error, "a lookup of {about} failed");
                let now = self.clock.now();
                if passed.failed(now, StoreState::Fails).is_some() {
                    tracing::warn!(
                        %error,
                        "the lookup of {about} failed several times in a row and is asked once a \
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
