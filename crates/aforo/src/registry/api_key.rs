//! API keys: `aforo_` + public id + `_` + secret.

use std::fmt;

use aforo_core::Timestamp;
use sha2::{Digest as _, Sha256};

use super::RegistryError;
use super::database::Row;
use super::instant::instant_if_any;
use super::instant::instant_of;

/// What every API key starts with, so that people and scanners of leaked secrets know it.
const PREFIX: &str = "aforo_";
/// Letters of the public id: 60 bits.
const ID: usize = 12;
/// Letters of the secret: 160 bits.
const SECRET: usize = 32;
/// 32 letters and digits that are not taken for one another.
const LETTERS: [u8; 32] = *b"abcdefghijkmnpqrstuvwxyz23456789";

/// An API key as it was issued, to be shown once. Only its hash is kept; its `Debug` shows its
/// public id alone.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedApiKey {
    raw: String,
}

/// What the registry knows of an API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its public id, without the prefix.
    pub id: String,
    /// The id of the consumer whose it is.
    pub consumer: String,
    /// For people.
    pub label: Option<String>,
    /// When it was issued.
    pub created: Timestamp,
    /// From when on it is refused; `None`: never.
    pub expires: Option<Timestamp>,
    /// When it was revoked.
    pub revoked: Option<Timestamp>,
}

/// How an API key is named: by its public id, or by the whole key, of which only the id is kept.
///
/// ```
/// use aforo::registry::ApiKeyId;
/// let id = ApiKeyId::of("aforo_abcdefghijkm").unwrap();
/// assert_eq!(id.to_string(), "aforo_abcdefghijkm");
/// assert_eq!(ApiKeyId::of("abcdefghijkm"), Some(id));
/// assert_eq!(ApiKeyId::of("acme"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKeyId(String);

impl IssuedApiKey {
    /// A new one, from the operating system's randomness.
    pub(super) fn new() -> Result<Self, RegistryError> {
        let mut drawn = [0_u8; ID + SECRET];
        getrandom::fill(&mut drawn).map_err(|_| RegistryError::NoRandomness)?;
        let mut raw = PREFIX.to_owned();
        for (place, byte) in drawn.into_iter().enumerate() {
            if place == ID {
                raw.push('_');
            }
            // 256 is a multiple of 32: every letter is as likely.
            let letter = LETTERS.get(usize::from(byte % 32)).copied();
            raw.push(char::from(letter.unwrap_or(b'a')));
        }
        Ok(Self { raw })
    }

    /// The whole key, to be given to the consumer.
    pub fn reveal(&self) -> &str {
        &self.raw
    }

    /// Its public id.
    pub fn id(&self) -> ApiKeyId {
        let id = self.raw.split('_').nth(1);
        ApiKeyId(id.unwrap_or_default().to_owned())
    }

    /// The hash that is kept: SHA-256 of the whole key.
    pub(super) fn sha256(&self) -> String {
        hex(&Sha256::digest(self.raw.as_bytes()).into())
    }
}

impl ApiKey {
    /// Whether it is accepted at this instant.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| now < expires)
    }

    pub(super) fn of(row: &Row) -> Result<Self, RegistryError> {
        Ok(Self {
            id: row.text("id")?,
            consumer: row.text("consumer")?,
            label: row.text_if_any("label")?,
            created: instant_of(row.number("created")?),
            expires: instant_if_any(row.number_if_any("expires")?),
            revoked: instant_if_any(row.number_if_any("revoked")?),
        })
    }
}

impl ApiKeyId {
    /// The id that a text is or that a whole key holds, with or without the prefix.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.strip_prefix(PREFIX).unwrap_or(text);
        let id = match text.split_once('_') {
            Some((id, secret)) if is_word(secret, SECRET) => id,
            Some(_) => return None,
            None => text,
        };
        is_word(id, ID).then(|| Self(id.to_owned()))
    }

    /// Without the prefix.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ApiKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0)
    }
}

impl fmt::Debug for IssuedApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IssuedApiKey({}_***)", self.id())
    }
}

/// A text with the secret of every API key in it blackened, for what repeats what it was given.
///
/// ```
/// use aforo::registry::without_api_keys;
/// let told = without_api_keys("what is aforo_abcdefghijkm_abcdefghijkmnpqrstuvwxyz23456789?");
/// assert_eq!(told, "what is aforo_abcdefghijkm_***?");
/// ```
pub fn without_api_keys(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(PREFIX) {
        out.push_str(before);
        out.push_str(PREFIX);
        rest = match secret_behind(after) {
            Some((id, behind)) => {
                out.push_str(id);
                out.push_str("_***");
                behind
            }
            None => after,
        };
    }
    out.push_str(rest);
    out
}

/// Whether there is an API key in a text.
pub(super) fn is_within(text: &str) -> bool {
    text.match_indices(PREFIX).any(|(start, _)| {
        let after = text.get(start.saturating_add(PREFIX.len())..);
        after.and_then(secret_behind).is_some()
    })
}

/// The id of the key whose text behind the prefix starts here, and what follows the key.
fn secret_behind(text: &str) -> Option<(&str, &str)> {
    let (id, rest) = text.split_at_checked(ID)?;
    let (secret, behind) = rest.strip_prefix('_')?.split_at_checked(SECRET)?;
    let is_key = is_word(id, ID) && is_word(secret, SECRET);
    is_key.then_some((id, behind))
}

fn is_word(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Lower-case hexadecimal digits.
pub(super) fn hex(hash: &[u8; 32]) -> String {
    use fmt::Write as _;
    let mut text = String::with_capacity(64);
    for byte in hash {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_prefix_an_id_and_a_secret() {
        let key = IssuedApiKey::new().unwrap();
        let parts: Vec<&str> = key.reveal().split('_').collect();
        assert_eq!(parts.len(), 3, "{parts:?}");
        assert_eq!(
            (parts[0], parts[1].len(), parts[2].len()),
            ("aforo", 12, 32)
        );
        assert_eq!(key.id().as_str(), parts[1]);
        assert_ne!(IssuedApiKey::new().unwrap().reveal(), key.reveal());
    }

    #[test]
    fn the_hash_is_the_one_that_sha256sum_prints() {
        let raw = "aforo_abcdefghijkm_abcdefghijkmnpqrstuvwxyz23456789";
        let key = IssuedApiKey {
            raw: raw.to_owned(),
        };
        let sum = "df066e80b1d7230d0c5b3fbc0fb5bcc60af63929fcc3cc9e5e2181d10b574e0d";
        assert_eq!(key.sha256(), sum);
    }

    #[test]
    fn what_is_shown_has_no_secret() {
        let key = IssuedApiKey::new().unwrap();
        let secret = key.reveal().rsplit('_').next().unwrap();
        let shown = [
            format!("{key:?}"),
            format!("{:?} {}", key.id(), key.id()),
            without_api_keys(&format!("a {0}{0}, {0}", key.reveal())),
        ];
        for shown in shown {
            assert!(!shown.contains(secret), "{shown}");
            assert!(shown.contains(key.id().as_str()), "{shown}");
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in [
            "",
            "aforo_",
            "aforo_abc",
            "aforo_abcdefghijkm_",
            "an aforo_x aforo_é",
            "acme",
        ] {
            assert_eq!(without_api_keys(text), text);
            assert!(!is_within(text), "{text}");
        }
    }

    #[test]
    fn a_key_is_live_until_it_expires_or_is_revoked() {
        let at = Timestamp::from_seconds;
        let mut key = ApiKey {
            id: "abcdefghijkm".to_owned(),
            consumer: "acme".to_owned(),
            label: None,
            created: at(10),
            expires: None,
            revoked: None,
        };
        assert!(key.is_live(at(10)));
        key.expires = Some(at(20));
        assert!(key.is_live(at(19)) && !key.is_live(at(20)));
        key.revoked = Some(at(15));
        assert!(!key.is_live(at(12)));
    }
}
