//! Tokens that name a consumer (RFC 7519).

use std::path::PathBuf;

use aforo_core::Span;

use super::{CredentialSource, Secret};

/// Which tokens are believed, and what they say of a consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jwt {
    /// What their signatures are checked with.
    pub keys: JwtKeys,
    /// The algorithms that are believed; empty: those that the keys are for.
    pub algorithms: Vec<JwtAlgorithm>,
    /// Who issues them: the claim `iss`.
    pub issuer: String,
    /// Whom they are for: one of these is in the claim `aud`. Empty: a token with that claim is
    /// for somebody else.
    pub audience: Vec<String>,
    /// Where they are read.
    pub source: CredentialSource,
    /// The claim with the consumer's id.
    pub consumer: String,
    /// The claim with its plan.
    pub plan: Option<String>,
    /// The claim with its team.
    pub team: Option<String>,
    /// The claim with its organisation.
    pub org: Option<String>,
    /// How far `exp` and `nbf` may be off.
    pub leeway: Span,
}

/// What the signatures of tokens are checked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JwtKeys {
    /// A file with public keys: a JWK set (RFC 7517) or PEM.
    File(PathBuf),
    /// A JWK set that is fetched.
    Url(http::Uri),
    /// A secret that is shared with the issuer.
    Secret(Secret),
}

/// A signature's algorithm (RFC 7518, RFC 8037).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the standard")]
pub enum JwtAlgorithm {
    Hs256,
    Hs384,
    Hs512,
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    EdDsa,
}
