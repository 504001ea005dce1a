//! The tokens that are believed, and what is remembered of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use aforo_core::{HashKey, Span, Timestamp};
use aforo_policy::file::Environment;
use aforo_policy::{Consumer, CredentialSource, Jwt, JwtKeys, Secret, Settings};
use aforo_store::Clock;
use thiserror::Error;

use super::claims::Claims;
use super::key::{Key, Material};
use super::token::{self, Token};
use super::{jwk, pem};
use crate::identity::Found;
use crate::identity::lookup::{Hash, Space, View, resolve};
use crate::identity::marks::Marks;

/// How long a signature is taken for checked, whether it held or not.
const CHECKED: Span = Span::from_seconds(60);
/// How many tokens are remembered.
const MOST_GOOD: usize = 65_536;
/// How many tokens that failed are remembered.
const MOST_BAD: usize = 16_384;
/// The fewest bytes of a shared secret (RFC 7518, section 3.2).
const SHORTEST_SECRET: usize = 32;

/// The tokens that are believed, and what is remembered of them. A reload that leaves `jwt` as it
/// was keeps it.
pub(crate) struct Tokens {
    jwt: Jwt,
    keys: KeySet,
    counted: Vec<String>,
    hash_key: HashKey,
    good: Space<Good>,
    /// Until when each is known to be bad.
    bad: Space<Timestamp>,
    told: Marks,
}

/// Where the keys are.
enum KeySet {
    Fixed(Vec<Key>),
    #[cfg(feature = "lookup")]
    Fetched(Box<crate::identity::fetch::FetchedKeys<Vec<Key>>>),
}

/// A token that verified.
struct Good {
    claims: Arc<Claimed>,
    begins: Option<Timestamp>,
    ends: Timestamp,
    checked_until: Timestamp,
    consumer: Option<(u64, Arc<Consumer>)>,
}

struct Claimed {
    found: Found,
    counted: Option<Arc<BTreeMap<String, String>>>,
}

/// Whose a token is.
#[derive(Clone, Debug)]
#[cfg_attr(
    not(feature = "lookup"),
    allow(dead_code, reason = "keys of files are always there")
)]
pub(crate) enum TokenOwner {
    Known {
        consumer: Arc<Consumer>,
        claims: Option<Arc<BTreeMap<String, String>>>,
        /// Whether it says its plan.
        names_plan: bool,
    },
    Nobody,
    /// There are no keys yet.
    Unverified,
    /// The keys have to be fetched first.
    Fetch,
}

/// Why tokens cannot be verified at all.
#[derive(Debug, Error)]
pub(crate) enum TokensError {
    #[error("{place}, which the keys of a JWT are in, is not there")]
    Missing { place: String },
    #[error("{place} holds no key for a JWT: expected a JWK set or PEM with public keys")]
    NoKeys { place: String },
    #[error("{place} is too short for a JWT's secret: expected at least {SHORTEST_SECRET} bytes")]
    ShortSecret { place: String },
    #[cfg(not(feature = "lookup"))]
    #[error("jwks_url needs the feature `lookup` of the crate aforo; this build does not have it")]
    NotBuilt,
    #[cfg(feature = "lookup")]
    #[error(transparent)]
    Fetch(#[from] crate::identity::fetch::FetchError),
}

/// What came of checking a token.
enum Checked {
    Good(Box<Claims>),
    Bad,
    /// No key is for it.
    NoKey,
}

impl Tokens {
    /// The tokens of a file.
    pub(crate) fn new(
        jwt: &Jwt,
        settings: &Settings,
        clock: &Arc<dyn Clock>,
        hash_key: &HashKey,
        environment: &dyn Environment,
    ) -> Result<Self, TokensError> {
        Ok(Self {
            keys: key_set(jwt, clock, environment)?,
            counted: counted(settings),
            jwt: jwt.clone(),
            hash_key: *hash_key,
            good: Space::new(MOST_GOOD),
            bad: Space::new(MOST_BAD),
            told: Marks::default(),
        })
    }

    /// Whether they are the same under another file. Keys of a file may have changed with it.
    pub(crate) fn stay(&self, jwt: &Jwt, settings: &Settings) -> bool {
        self.jwt == *jwt && self.counted == counted(settings) && matches!(jwt.keys, JwtKeys::Url(_))
    }

    /// Where they are read.
    pub(crate) const fn source(&self) -> &CredentialSource {
        &self.jwt.source
    }

    /// Whether a credential has the form of a token.
    pub(crate) fn has_form(text: &[u8]) -> bool {
        token::has_form(text)
    }

    /// Whose a token is. `fetched`: its request has asked for the keys already.
    pub(crate) fn owner(&self, text: &[u8], view: &View<'_>, fetched: bool) -> TokenOwner {
        if text.len() > token::LONGEST {
            return TokenOwner::Nobody;
        }
        let hash = self.hash(text);
        let read = |good: &mut Good| good.owner(view, &self.told);
        if let Some(Some(owner)) = self.good.read(&hash, view.now, read) {
            return owner;
        }
        if self.bad.read(&hash, view.now, |until| view.now < *until) == Some(true) {
            return TokenOwner::Nobody;
        }
        let Some(token) = Token::parse(text) else {
            return TokenOwner::Nobody;
        };
        match self.check(&token, view.now, fetched) {
            Ok(Checked::Good(claims)) => self.remember(&hash, *claims, view),
            Ok(Checked::Bad) => {
                self.good.remove(&hash);
                self.bad.put(&hash, view.now, view.now.plus(CHECKED));
                TokenOwner::Nobody
            }
            Ok(Checked::NoKey) => TokenOwner::Nobody,
            Err(owner) => owner,
        }
    }

    /// Fetches the keys, when they are fetched and it is time to.
    #[cfg(feature = "lookup")]
    pub(crate) async fn fetch(&self) {
        if let KeySet::Fetched(keys) = &self.keys {
            let believed = &self.jwt.algorithms;
            keys.fetch(|text| jwk::keys(text, believed)).await;
        }
    }

    /// Fetches nothing: all keys are in files.
    #[cfg(not(feature = "lookup"))]
    pub(crate) async fn fetch(&self) {}

    fn check(
        &self,
        token: &Token<'_>,
        now: Timestamp,
        fetched: bool,
    ) -> Result<Checked, TokenOwner> {
        #[cfg(not(feature = "lookup"))]
        let _ = (now, fetched);
        match &self.keys {
            KeySet::Fixed(keys) => Ok(self.verify(token, keys)),
            #[cfg(feature = "lookup")]
            KeySet::Fetched(keys) => {
                let Some(set) = keys.current() else {
                    return Err(match fetched || !keys.may_fetch(now) {
                        true => TokenOwner::Unverified,
                        false => TokenOwner::Fetch,
                    });
                };
                if !fetched && keys.is_due(now) {
                    return Err(TokenOwner::Fetch);
                }
                match self.verify(token, &set) {
                    Checked::NoKey if !fetched && keys.may_fetch(now) => Err(TokenOwner::Fetch),
                    checked => Ok(checked),
                }
            }
        }
    }

    /// Whether a key's signature is under the token, and what it claims.
    fn verify(&self, token: &Token<'_>, keys: &[Key]) -> Checked {
        let for_it = |key: &&Key| {
            let named = match (&token.key_id, &key.id) {
                (Some(named), Some(id)) => named == id,
                // A key of PEM and a secret have no name.
                (_, None) | (None, _) => true,
            };
            named && key.algorithms.contains(&token.algorithm)
        };
        let mut keys = keys.iter().filter(for_it).peekable();
        if keys.peek().is_none() {
            return Checked::NoKey;
        }
        if !keys.any(|key| key.verifies(token.algorithm, token.signed, &token.signature)) {
            return Checked::Bad;
        }
        let counted = self.counted.iter().map(String::as_str);
        match Claims::read(&token.claims, &self.jwt, counted) {
            Some(claims) if resolve::check(&claims.found).is_ok() => {
                Checked::Good(Box::new(claims))
            }
            _ => Checked::Bad,
        }
    }

    fn remember(&self, hash: &Hash, claims: Claims, view: &View<'_>) -> TokenOwner {
        if view.now >= claims.ends {
            self.good.remove(hash);
            self.bad.put(hash, view.now, view.now.plus(CHECKED));
            return TokenOwner::Nobody;
        }
        let mut good = Good {
            begins: claims.begins,
            ends: claims.ends,
            checked_until: view.now.plus(CHECKED),
            consumer: None,
            claims: Arc::new(Claimed {
                found: claims.found,
                counted: Some(claims.counted)
                    .filter(|counted| !counted.is_empty())
                    .map(Arc::new),
            }),
        };
        let owner = good.owner(view, &self.told);
        self.good.put(hash, view.now, good);
        owner.unwrap_or(TokenOwner::Nobody)
    }

    /// A keyed hash of a token, so that nobody can make up two of one hash.
    fn hash(&self, text: &[u8]) -> Hash {
        let hash = self.hash_key.hash(text).0;
        [hash as u64, (hash >> 64) as u64, text.len() as u64, 0]
    }
}

impl Good {
    /// Whose it is; `None` when its signature is to be checked again.
    fn owner(&mut self, view: &View<'_>, told: &Marks) -> Option<TokenOwner> {
        let early = self.begins.is_some_and(|begins| view.now < begins);
        if early || view.now >= self.ends {
            return Some(TokenOwner::Nobody);
        }
        if view.now >= self.checked_until {
            return None;
        }
        let consumer = match &self.consumer {
            Some((generation, consumer)) if *generation == view.generation => Arc::clone(consumer),
            _ => {
                let consumer = resolve::consumer(&self.claims.found, view.settings, told);
                self.consumer = Some((view.generation, Arc::clone(&consumer)));
                consumer
            }
        };
        Some(TokenOwner::Known {
            consumer,
            claims: self.claims.counted.clone(),
            names_plan: self.claims.found.plan.is_some(),
        })
    }
}

fn counted(settings: &Settings) -> Vec<String> {
    let claims = settings.counted_claims().into_iter();
    claims.map(str::to_owned).collect()
}

fn read(secret: &Secret, environment: &dyn Environment) -> Result<(String, String), TokensError> {
    crate::secret::read(secret, environment).map_err(|missing| TokensError::Missing {
        place: missing.place,
    })
}

fn key_set(
    jwt: &Jwt,
    clock: &Arc<dyn Clock>,
    environment: &dyn Environment,
) -> Result<KeySet, TokensError> {
    #[cfg(not(feature = "lookup"))]
    let _ = clock;
    let believed = jwt.algorithms.as_slice();
    match &jwt.keys {
        JwtKeys::Secret(secret) => {
            let (text, place) = read(secret, environment)?;
            let bytes = text.trim().as_bytes();
            if bytes.len() < SHORTEST_SECRET {
                return Err(TokensError::ShortSecret { place });
            }
            let material = Material::Secret(bytes.to_vec());
            Ok(KeySet::Fixed(vec![Key::new(
                None, material, None, believed,
            )]))
        }
        JwtKeys::File(path) => {
            let (text, place) = read(&Secret::File(path.clone()), environment)?;
            let in_set = jwk::keys(text.as_bytes(), believed);
            let keys = in_set.unwrap_or_else(|| {
                let keys = pem::keys(text.as_bytes()).into_iter();
                keys.map(|material| Key::new(None, material, None, believed))
                    .collect()
            });
            if keys.iter().all(|key| key.algorithms.is_empty()) {
                return Err(TokensError::NoKeys { place });
            }
            Ok(KeySet::Fixed(keys))
        }
        #[cfg(feature = "lookup")]
        JwtKeys::Url(url) => {
            let keys = crate::identity::fetch::FetchedKeys::new(url, Arc::clone(clock))?;
            Ok(KeySet::Fetched(Box::new(keys)))
        }
        #[cfg(not(feature = "lookup"))]
        JwtKeys::Url(_) => Err(TokensError::NotBuilt),
    }
}
