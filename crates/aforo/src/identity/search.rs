//! The search for the consumer behind a request's credentials, step by step.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::http::HeaderMap;
use aforo_core::Timestamp;
use aforo_policy::{Consumer, CredentialSource, Identity, OnLookupFailure, Settings};

use super::api_keys::{self, ApiKeys};
use super::certificate::ClientCertificate;
use super::credential::{Identified, NamedId, Sent, is_id, named_id, outside_the_file, sent};
use super::jwt::{TokenOwner, Tokens};
use super::lookup::{Directory, Hash, Owner, PresentedKey, Remembered, Subject, View};
use crate::KnownConsumer;

/// What a consumer is searched with.
pub(crate) struct Search<'a> {
    pub(crate) headers: &'a HeaderMap,
    /// The certificate of its connection, and the time.
    pub(crate) certificate: Option<(&'a ClientCertificate, Timestamp)>,
    pub(crate) peer_trusted: bool,
    pub(crate) identity: &'a Identity,
    pub(crate) api_keys: &'a ApiKeys,
    pub(crate) directory: Option<(&'a Directory, View<'a>)>,
    pub(crate) tokens: Option<(&'a Tokens, View<'a>)>,
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
    /// The claims of its token that policies count by.
    pub(crate) claims: Option<Arc<BTreeMap<String, String>>>,
}

/// What has to be asked.
pub(crate) enum Question {
    /// The directory.
    Directory {
        subject: Subject,
        hash: Hash,
        /// Whether this costs the address a failed credential until it is answered: an API key that
        /// was never seen.
        reserves: bool,
    },
    /// Whoever publishes the keys of tokens.
    TokenKeys,
}

/// The answer to a question of this search.
pub(crate) enum Told {
    Key { hash: Hash, answer: KeyOwner },
    Id { hash: Hash, answer: KeyOwner },
    TokenKeys,
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
    /// Goes on with what was told so far: the API keys in the configured order, then the token, the
    /// first that verifies; then the header of a trusted peer that authenticated; then the
    /// certificate of the connection, which may be the peer's own.
    pub(crate) fn step(&self, told: &[Told]) -> Step {
        let mut outcome = Identified::Absent;
        for source in &self.identity.api_key {
            let owner = match sent(self.headers, source) {
                Sent::Absent => continue,
                Sent::Malformed => Ok(KeyOwner::Nobody),
                Sent::Token(token) if self.is_for_tokens(source, token) => continue,
                Sent::Token(token) => self.owner(token, told),
            };
            match owner {
                Ok(KeyOwner::Known(owner)) => return Step::Done(Who::from(owner)),
                Ok(KeyOwner::Nobody) => outcome.fails(Identified::Unrecognised),
                Ok(KeyOwner::Unanswered) => outcome.fails(Identified::Unverified),
                Err(question) => return Step::Ask(question),
            }
        }
        match self.token(told) {
            None => {}
            Some(TokenOwner::Known {
                consumer,
                claims,
                names_plan,
            }) => {
                let identified = match names_plan {
                    true => Ok(Identified::Verified(consumer)),
                    false => self.of_claims(consumer, told),
                };
                return match identified {
                    Ok(identified) => Step::Done(Who {
                        claims,
                        ..Who::of(identified)
                    }),
                    Err(question) => Step::Ask(question),
                };
            }
            Some(TokenOwner::Nobody) => outcome.fails(Identified::Unrecognised),
            Some(TokenOwner::Unverified) => outcome.fails(Identified::Unverified),
            Some(TokenOwner::Fetch) => return Step::Ask(Question::TokenKeys),
        }
        match self.verified_id() {
            NamedId::Absent => {}
            NamedId::Malformed => return Step::Done(Who::of(Identified::Unrecognised)),
            NamedId::Id(id) => return self.verified(id, told),
        }
        match self.certificate.map(|(sent, now)| sent.id_at(now)) {
            None => {}
            Some(None) => outcome.fails(Identified::Unrecognised),
            Some(Some(id)) => return self.verified(id, told),
        }
        Step::Done(Who::of(outcome))
    }

    /// The consumer whom somebody verified already; without a plan, with what is known of it elsewhere.
    pub(crate) fn known(&self, known: KnownConsumer, settings: &Settings, told: &[Told]) -> Step {
        let names_plan = known.names_plan();
        let consumer = known.resolved(settings);
        if names_plan || !is_id(&consumer.id) {
            return Step::Done(Who::of(Identified::Verified(consumer)));
        }
        match self.of_claims(consumer, told) {
            Ok(identified) => Step::Done(Who::of(identified)),
            Err(question) => Step::Ask(question),
        }
    }

    /// The id that a trusted peer sends.
    fn verified_id(&self) -> NamedId<'_> {
        match &self.identity.verified_header {
            Some(name) if self.peer_trusted => named_id(self.headers, name),
            _ => NamedId::Absent,
        }
    }

    /// The consumer of an id that was verified.
    fn verified(&self, id: &str, told: &[Told]) -> Step {
        match self.by_id(id, told) {
            Ok(KeyOwner::Known(owner)) => Step::Done(Who::of(Identified::Verified(owner.consumer))),
            Ok(KeyOwner::Unanswered) if self.denies_unanswered() => {
                Step::Done(Who::of(Identified::Unverified))
            }
            // Who it is was verified, and only its plan is not known.
            Ok(KeyOwner::Nobody | KeyOwner::Unanswered) => {
                let consumer = Arc::new(outside_the_file(id));
                Step::Done(Who::of(Identified::Verified(consumer)))
            }
            Err(question) => Step::Ask(question),
        }
    }

    /// A consumer who was verified without its plan: what is known of it elsewhere, with what was
    /// said of it.
    fn of_claims(&self, consumer: Arc<Consumer>, told: &[Told]) -> Result<Identified, Question> {
        Ok(match self.by_id(&consumer.id, told)? {
            KeyOwner::Known(owner) => Identified::Verified(joined(owner.consumer, &consumer)),
            KeyOwner::Unanswered if self.denies_unanswered() => Identified::Unverified,
            KeyOwner::Nobody | KeyOwner::Unanswered => Identified::Verified(consumer),
        })
    }

    fn denies_unanswered(&self) -> bool {
        self.identity.lookups.on_failure == OnLookupFailure::Deny
    }

    /// What is known of an id that was verified: the file's consumers first, then the directory's.
    fn by_id(&self, id: &str, told: &[Told]) -> Result<KeyOwner, Question> {
        if let Some(consumer) = self.api_keys.consumer_by_id(id) {
            let consumer = Arc::clone(consumer);
            let api_key = None;
            return Ok(KeyOwner::Known(Owner { consumer, api_key }));
        }
        let Some((directory, view)) = &self.directory else {
            return Ok(KeyOwner::Nobody);
        };
        let Some(hash) = api_keys::hash(id.as_bytes()) else {
            return Ok(KeyOwner::Nobody);
        };
        let answer = told.iter().find_map(|told| match told {
            Told::Id {
                hash: asked,
                answer,
            } if *asked == hash => Some(answer.clone()),
            _ => None,
        });
        if let Some(answer) = answer {
            return Ok(answer);
        }
        match directory.remembered_id(&hash, view) {
            Remembered::Known(owner) => Ok(KeyOwner::Known(owner)),
            Remembered::Nobody => Ok(KeyOwner::Nobody),
            Remembered::Stale | Remembered::Never => Err(Question::Directory {
                subject: Subject::Id(Arc::from(id)),
                hash,
                reserves: false,
            }),
        }
    }

    /// Whether a credential is a token's, by its form, where both are read in one place.
    fn is_for_tokens(&self, source: &CredentialSource, credential: &[u8]) -> bool {
        let same = |tokens: &Tokens| {
            let other = tokens.source();
            let schemes = (source.scheme.as_deref(), other.scheme.as_deref());
            source.header == other.header
                && match schemes {
                    (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
                    (one, other) => one == other,
                }
        };
        self.tokens.is_some_and(|(tokens, _)| same(tokens)) && Tokens::has_form(credential)
    }

    /// Whose the token is; `None` when there is none.
    fn token(&self, told: &[Told]) -> Option<TokenOwner> {
        let (tokens, view) = self.tokens.as_ref()?;
        let source = tokens.source();
        let token = match sent(self.headers, source) {
            Sent::Absent => return None,
            Sent::Malformed => return Some(TokenOwner::Nobody),
            Sent::Token(token) => token,
        };
        // What is no token where API keys are read too was looked at as one of those.
        let shared = |one: &CredentialSource| one.header == source.header;
        if !Tokens::has_form(token) && self.identity.api_key.iter().any(shared) {
            return None;
        }
        let fetched = told.iter().any(|told| matches!(told, Told::TokenKeys));
        Some(tokens.owner(token, view, fetched))
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
        let answer = told.iter().find_map(|told| match told {
            Told::Key {
                hash: asked,
                answer,
            } if *asked == hash => Some(answer.clone()),
            _ => None,
        });
        if let Some(answer) = answer {
            return Ok(answer);
        }
        let was_known = match directory.remembered(&hash, view) {
            Remembered::Known(owner) => return Ok(KeyOwner::Known(owner)),
            Remembered::Nobody => return Ok(KeyOwner::Nobody),
            Remembered::Stale => true,
            Remembered::Never => false,
        };
        Err(Question::Directory {
            subject: Subject::Key(PresentedKey::new(token)),
            hash,
            reserves: !was_known,
        })
    }
}

/// What is known of a consumer elsewhere, with the team and organisation that were said.
fn joined(known: Arc<Consumer>, claimed: &Consumer) -> Arc<Consumer> {
    if claimed.team.is_none() && claimed.org.is_none() {
        return known;
    }
    Arc::new(Consumer {
        team: claimed.team.clone().or_else(|| known.team.clone()),
        org: claimed.org.clone().or_else(|| known.org.clone()),
        id: known.id.clone(),
        plan: known.plan.clone(),
        contact: None,
        api_key_sha256: Vec::new(),
        overrides: known.overrides.clone(),
    })
}

impl Who {
    pub(crate) const fn of(identified: Identified) -> Self {
        Self {
            identified,
            api_key: None,
            claims: None,
        }
    }
}

impl From<Owner> for Who {
    fn from(owner: Owner) -> Self {
        Self {
            api_key: owner.api_key,
            ..Self::of(Identified::Verified(owner.consumer))
        }
    }
}

impl Identified {
    /// A credential failed: one that could not be checked might have been good.
    fn fails(&mut self, how: Self) {
        if !matches!(self, Self::Unverified) {
            *self = how;
        }
    }
}
