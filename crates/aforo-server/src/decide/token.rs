//! The secret that whoever asks has to send.

use std::path::PathBuf;
use std::sync::Arc;

use aforo_policy::Secret;
use subtle::ConstantTimeEq;
use thiserror::Error;

/// The secret that whoever asks has to send.
#[derive(Clone)]
pub(super) struct Token(Arc<[u8]>);

/// Why there is no token.
#[derive(Debug, Error)]
pub(crate) enum TokenError {
    /// The variable.
    #[error("the token of [decide]: the variable {0} is not set, or empty")]
    Variable(String),
    /// The file.
    #[error("the token of [decide]: cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Nothing in it.
    #[error("the token of [decide]: {0} is empty")]
    Empty(PathBuf),
}

impl Token {
    /// Reads it from where the file says that it is. White space at its ends is not part of it.
    pub(super) fn read(secret: &Secret) -> Result<Self, TokenError> {
        let (text, empty) = match secret {
            Secret::Variable(name) => {
                let empty = TokenError::Variable(name.clone());
                (std::env::var(name).unwrap_or_default(), empty)
            }
            Secret::File(path) => {
                let unreadable = |source| TokenError::Unreadable {
                    path: path.clone(),
                    source,
                };
                let text = std::fs::read_to_string(path).map_err(unreadable)?;
                (text, TokenError::Empty(path.clone()))
            }
        };
        match text.trim() {
            "" => Err(empty),
            token => Ok(Self(token.as_bytes().into())),
        }
    }

    /// Whether it is what was sent, in the same time however much of it is right.
    pub(super) fn is(&self, sent: &[u8]) -> bool {
        self.0.ct_eq(sent).into()
    }

    /// The same for the value of a field `Authorization`: `Bearer TOKEN`.
    pub(super) fn is_bearer(&self, value: &[u8]) -> bool {
        bearer(value).is_some_and(|sent| self.is(sent))
    }
}

/// What comes after the scheme `Bearer` (RFC 6750, section 2.1).
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme
        .eq_ignore_ascii_case(b"bearer ")
        .then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_the_whole_token() {
        let token = Token(b"hunter2"[..].into());
        assert!(token.is(b"hunter2"));
        for wrong in ["", "hunter", "hunter22", "Hunter2"] {
            assert!(!token.is(wrong.as_bytes()), "{wrong:?}");
        }
    }

    #[test]
    fn a_token_that_is_not_there_is_an_error() {
        let variable = Secret::Variable("AFORO_TEST_NO_SUCH_VARIABLE".to_owned());
        assert!(matches!(
            Token::read(&variable),
            Err(TokenError::Variable(_))
        ));
        let file = Secret::File("/nowhere/token".into());
        assert!(matches!(
            Token::read(&file),
            Err(TokenError::Unreadable { .. })
        ));
    }

    #[test]
    fn a_token_comes_after_its_scheme() {
        assert_eq!(bearer(b"Bearer abc"), Some(&b"abc"[..]));
        assert_eq!(bearer(b"bearer  abc "), Some(&b"abc"[..]));
        for wrong in ["", "Bearer", "abc", "Basic abc", "Bearerabc"] {
            assert_eq!(bearer(wrong.as_bytes()), None, "{wrong:?}");
        }
    }
}
