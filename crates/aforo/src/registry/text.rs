//! Texts that the registry keeps.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::api_key;

/// The longest text, in bytes: as long as a consumer's id may be in the file.
const LONGEST: usize = 256;

/// A text of the registry: a consumer's id, an organisation, a contact, a label, a reason, an
/// author. 1 to 256 bytes without control characters; never an API key, which would be shown
/// from then on.
///
/// ```
/// use aforo::registry::Text;
/// let id: Text = "acme".parse()?;
/// assert_eq!(id.as_str(), "acme");
/// assert!("".parse::<Text>().is_err());
/// # Ok::<(), aforo::registry::TextError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(String);

/// The name of a plan or a team, as an aforo file has it: 1 to 64 of `a-z 0-9 . _ -`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// Why a text is not kept. It does not hold the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextError {
    /// Its length or its letters.
    #[error("expected 1 to 256 bytes without control characters")]
    Malformed,
    /// It holds an API key.
    #[error("it holds an API key, which is shown nowhere; leave the key out")]
    ApiKey,
    /// It is no name.
    #[error("expected 1 to 64 of a-z, 0-9, '.', '_' and '-'")]
    Name,
}

impl Text {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Name {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Text {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        if api_key::is_within(text) {
            return Err(TextError::ApiKey);
        }
        let length = matches!(text.len(), 1..=LONGEST);
        match length && !text.chars().any(char::is_control) && text.trim() == text {
            true => Ok(Self(text.to_owned())),
            false => Err(TextError::Malformed),
        }
    }
}

impl FromStr for Name {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        if api_key::is_within(text) {
            return Err(TextError::ApiKey);
        }
        match aforo_core::PolicyName::new(text) {
            Ok(_) => Ok(Self(text.to_owned())),
            Err(_) => Err(TextError::Name),
        }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "aforo_abcdefghijkm_abcdefghijkmnpqrstuvwxyz23456789";

    #[test]
    fn texts_are_short_and_printable() {
        for right in [
            "a",
            "Acme Inc.",
            "ops@acme.example",
            "日本",
            &"x".repeat(256),
        ] {
            assert_eq!(right.parse::<Text>().unwrap().as_str(), right);
        }
        for wrong in ["", "a\nb", "\u{7f}", " a", "a ", &"x".repeat(257)] {
            assert_eq!(
                wrong.parse::<Text>(),
                Err(TextError::Malformed),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn names_are_those_of_the_file() {
        assert_eq!("pro-2.x_y".parse::<Name>().unwrap().as_str(), "pro-2.x_y");
        for wrong in ["", "Pro", "a b", &"x".repeat(65)] {
            assert_eq!(wrong.parse::<Name>(), Err(TextError::Name), "{wrong:?}");
        }
    }

    #[test]
    fn an_api_key_is_no_text() {
        assert_eq!(KEY.parse::<Text>(), Err(TextError::ApiKey));
        assert_eq!(
            format!("key {KEY}.").parse::<Text>(),
            Err(TextError::ApiKey)
        );
        assert_eq!(KEY.parse::<Name>(), Err(TextError::ApiKey));
        assert!(!TextError::ApiKey.to_string().contains("aforo_"));
    }
}
