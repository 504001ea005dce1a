//! The search for the consumer behind a request's credentials, step by step.

use std::sync::Arc;

use ::http::HeaderMap;
use aforo_policy::Identity;

use super::api_keys::{self, ApiKeys};
use super::credential::{Identified, Sent, by_verified_id, sent};
use super::lookup::{Directory, Hash, Owner, PresentedKey, Remembered, View};

/// What a consumer is searched with.
pub(crate) struct Search<'a> {
    pub(crate) headers: &'a HeaderMap,
    pub(crate) peer_trusted: bool,
    pub(crate) identity: &'a Identity,
    pub(crate) api_keys: &'a ApiKeys,
    pub(crate) directory: Option<(&'a Arc<Directory>, View<'a>)>,
}

/// How far a search came.
pub(crate) enum Step {
    Done(Who),
    /// Somebody has to be asked first.
    Ask(Question),
}

/// Who was found.
pub(crate) struct Who {
    pub(crate) identified: Identified,
    /// What its API key is called where it may be seen.
    pub(crate) api_key: Option<Arc<str>>,
}

/// A question to the directory.
pub(crate) struct Question {
    pub(crate) key: PresentedKey,
    pub(crate) hash: Hash,
    /// Whether the key was somebody's a while ago.
    pub(crate) was_known: bool,
}

/// The answer to a question of this search.
pub(crate) struct Told {
    pub(crate) hash: Hash,
    pub(crate) answer: KeyOwner,
}

/// Whose a key is.
#[derive(Clone)]
pub(crate) enum KeyOwner {
    Known(Owner),
    Nobody,
    /// There was no answer.
    Unanswered,
}

impl Search<'_> {
    /// Goes on with what was told so far: the sources in the configured order, the first that
    /// verifies; then the header of a trusted peer that authenticated.
    pub(crate) fn step(&self, told: &[Told]) -> Step {
        let mut outcome = Identified::Absent;
        for source in &self.identity.api_key {
            let owner = match sent(self.headers, source) {
                Sent::Absent => continue,
                Sent::Malformed => Ok(KeyOwner::Nobody),
                Sent::Token(token) => self.owner(token, told),
            };
            match owner {
                Ok(KeyOwner::Known(owner)) => return Step::Done(Who::from(owner)),
                Ok(KeyOwner::Nobody) if matches!(outcome, Identified::Unverified) => {}
                Ok(KeyOwner::Nobody) => outcome = Identified::Unrecognised,
                Ok(KeyOwner::Unanswered) => outcome = Identified::Unverified,
                Err(question) => return Step::Ask(question),
            }
        }
        let named = match &self.identity.verified_header {
            Some(name) if self.peer_trusted => by_verified_id(self.headers, name, self.api_keys),
            _ => None,
        };
        Step::Done(Who {
            identified: named.unwrap_or(outcome),
            api_key: None,
        })
    }

    /// Whose an API key is: the file's consumers first, then those of the directory.
    fn owner(&self, token: &[u8], told: &[Told]) -> Result<KeyOwner, Question> {
        let Some((directory, view)) = &self.directory else {
            return Ok(match self.api_keys.consumer(token) {
                Some(consumer) => KeyOwner::Known(Owner {
                    consumer: Arc::clone(consumer),
                    api_key: None,
                }),
                None => KeyOwner::Nobody,
            });
        };
        let Some(hash) = api_keys::hash(token) else {
            return Ok(KeyOwner::Nobody);
        };
        if let Some(consumer) = self.api_keys.by_hash(&hash) {
            return Ok(KeyOwner::Known(Owner {
                consumer: Arc::clone(consumer),
                api_key: None,
            }));
        }
        if let Some(told) = told.iter().find(|told| told.hash == hash) {
            return Ok(told.answer.clone());
        }
        let was_known = match directory.remembered(&hash, view) {
            Remembered::Known(owner) => return Ok(KeyOwner::Known(owner)),
            Remembered::Nobody => return Ok(KeyOwner::Nobody),
            Remembered::Stale => true,
            Remembered::Never => false,
        };
        Err(Question {
            key: PresentedKey::new(token),
            hash,
            was_known,
        })
    }
}

impl From<Owner> for Who {
    fn from(owner: Owner) -> Self {
        Self {
            identified: Identified::Verified(owner.consumer),
            api_key: owner.api_key,
        }
    }
}
