//! The consumer behind a request's credentials.

use std::sync::Arc;

use ::http::{HeaderMap, HeaderName, HeaderValue};
use aforo_policy::{Consumer, Credential, CredentialSource, Identity};

use super::ApiKeys;
use super::lines::{Twice, only};
use super::search::{Search, Step};

/// The longest consumer id, in bytes.
const LONGEST_ID: usize = 256;

/// What became of a request's credentials.
#[derive(Clone, Debug)]
pub enum Identified {
    /// None was sent.
    Absent,
    /// What was sent verifies nobody: an anonymous caller, charged to its address, so that rotating
    /// keys buys nothing.
    ///
    /// Failed verifications are themselves limited per address: the limiter charges one unit of
    /// a policy of its own, partitioned by the address's prefix, for each of these, and refuses the
    /// request when that is exhausted. A verified credential from the same address is not touched
    /// by it, so nobody locks a paying neighbour out.
    Unrecognised,
    /// What was sent could not be verified just now: whoever knows it did not answer.
    Unverified,
    /// One was verified.
    Verified(Arc<Consumer>),
}

impl Identified {
    /// The consumer behind a request's credentials: the sources in the configured order, the first
    /// that verifies; then the header of a trusted peer that authenticated.
    ///
    /// A header that comes twice, a scheme without exactly one token, and an empty value are
    /// unrecognised. Another scheme than the source's is somebody else's credential and counts as
    /// absent. An id that a trusted peer sends and the file does not have is a consumer without
    /// plan or team.
    ///
    /// ```
    /// use aforo::identity::{ApiKeys, Identified};
    /// use aforo::policy::Identity;
    /// use http::{HeaderMap, HeaderValue};
    ///
    /// let mut headers = HeaderMap::new();
    /// headers.insert("x-api-key", HeaderValue::from_static("mistyped"));
    /// let who = Identified::of(&headers, false, &Identity::default(), &ApiKeys::default());
    /// assert!(matches!(who, Identified::Unrecognised));
    /// ```
    pub fn of(
        headers: &HeaderMap,
        peer_trusted: bool,
        identity: &Identity,
        api_keys: &ApiKeys,
    ) -> Self {
        let search = Search {
            headers,
            certificate: None,
            peer_trusted,
            identity,
            api_keys,
            directory: None,
            tokens: None,
        };
        match search.step(&[]) {
            Step::Done(who) => who.identified,
            Step::Ask(_) => Self::Unverified,
        }
    }

    /// The consumer, when a credential was verified.
    pub const fn consumer(&self) -> Option<&Arc<Consumer>> {
        match self {
            Self::Verified(consumer) => Some(consumer),
            Self::Absent | Self::Unrecognised | Self::Unverified => None,
        }
    }

    /// The same as a caller and an error body say it.
    pub const fn credential(&self) -> Credential {
        match self {
            Self::Absent => Credential::Absent,
            Self::Unrecognised => Credential::Unrecognised,
            Self::Unverified => Credential::Unverified,
            Self::Verified(_) => Credential::Verified,
        }
    }
}

/// What a 401 asks for (RFC 9110, section 11.6.1): the scheme of each source; a key in a header of
/// its own has no scheme and is told as `ApiKey` with the header's name.
pub fn challenge(identity: &Identity) -> Option<HeaderValue> {
    let token = identity.jwt.iter().map(|jwt| &jwt.source);
    let token = token.filter(|source| !identity.api_key.contains(source));
    let challenges: Vec<String> = identity
        .api_key
        .iter()
        .chain(token)
        .map(|source| match &source.scheme {
            Some(scheme) => format!("{scheme} realm=\"api\""),
            None => format!("ApiKey realm=\"api\", header=\"{}\"", source.header),
        })
        .collect();
    if challenges.is_empty() {
        return None;
    }
    HeaderValue::try_from(challenges.join(", ")).ok()
}

/// What a source's header holds.
pub(super) enum Sent<'a> {
    /// Nothing, or a credential of another kind.
    Absent,
    /// Nothing that could be verified.
    Malformed,
    /// A credential.
    Token(&'a [u8]),
}

pub(super) fn sent<'a>(headers: &'a HeaderMap, source: &CredentialSource) -> Sent<'a> {
    let value = match only(headers, &source.header) {
        Ok(None) => return Sent::Absent,
        Ok(Some(value)) => value.as_bytes().trim_ascii(),
        Err(Twice) => return Sent::Malformed,
    };
    let token = match &source.scheme {
        None => value,
        Some(scheme) => match after_scheme(value, scheme) {
            Some(token) => token,
            None => return Sent::Absent,
        },
    };
    if token.is_empty() || token.iter().any(u8::is_ascii_whitespace) {
        Sent::Malformed
    } else {
        Sent::Token(token)
    }
}

/// What follows the scheme (RFC 9110, section 11.4), when it is this scheme.
fn after_scheme<'a>(value: &'a [u8], scheme: &str) -> Option<&'a [u8]> {
    let (start, rest) = value.split_at_checked(scheme.len())?;
    let ends = rest.first().is_none_or(u8::is_ascii_whitespace);
    (ends && start.eq_ignore_ascii_case(scheme.as_bytes())).then(|| rest.trim_ascii_start())
}

/// The consumer's id that a trusted peer sends.
pub(super) enum NamedId<'a> {
    /// None.
    Absent,
    /// Nothing that could be an id.
    Malformed,
    /// An id.
    Id(&'a str),
}

pub(super) fn named_id<'a>(headers: &'a HeaderMap, name: &HeaderName) -> NamedId<'a> {
    let value = match only(headers, name) {
        Ok(None) => return NamedId::Absent,
        Ok(Some(value)) => value,
        Err(Twice) => return NamedId::Malformed,
    };
    match value.to_str().map(str::trim_ascii) {
        Ok(id) if is_id(id) => NamedId::Id(id),
        _ => NamedId::Malformed,
    }
}

/// Whether a text may be a consumer's id: 1 to 256 bytes without control characters.
pub(super) fn is_id(text: &str) -> bool {
    matches!(text.len(), 1..=LONGEST_ID) && !text.chars().any(char::is_control)
}

/// A consumer that was verified by its id and of whom nothing else is known.
pub(super) fn outside_the_file(id: &str) -> Consumer {
    Consumer {
        id: id.to_owned(),
        plan: None,
        team: None,
        org: None,
        contact: None,
        api_key_sha256: Vec::new(),
        overrides: Vec::new(),
    }
}

#[cfg(test)]
#[path = "credential_tests.rs"]
mod tests;
