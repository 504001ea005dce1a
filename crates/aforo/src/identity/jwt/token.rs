//! A token's three parts (RFC 7515, section 7.1).

use aforo_policy::JwtAlgorithm;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Deserialize;

/// The longest token, in bytes.
pub(super) const LONGEST: usize = 16 * 1024;

/// A token that was taken apart; nothing of it is verified.
pub(super) struct Token<'t> {
    pub(super) algorithm: JwtAlgorithm,
    pub(super) key_id: Option<String>,
    /// What was signed.
    pub(super) signed: &'t [u8],
    pub(super) claims: Vec<u8>,
    pub(super) signature: Vec<u8>,
}

/// The header (RFC 7515, section 4.1). Keys that a token brings along (`jwk`, `jku`, `x5c`, `x5u`)
/// are not read.
#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// Extensions that must be understood: none are.
    crit: Option<serde_json::Value>,
}

impl<'t> Token<'t> {
    /// Takes a token apart; `None` when it is none that could verify.
    pub(super) fn parse(text: &'t [u8]) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let mut parts = text.split(|byte| *byte == b'.');
        let (header, claims, signature) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let signed = text.get(..header.len().checked_add(claims.len())?.checked_add(1)?)?;
        let header: Header = serde_json::from_slice(&decoded(header)?).ok()?;
        if header.crit.is_some() {
            return None;
        }
        Some(Self {
            algorithm: algorithm(&header.alg)?,
            key_id: header.kid,
            signed,
            claims: decoded(claims)?,
            signature: decoded(signature)?,
        })
    }
}

/// Whether a credential has the form of a token: what a `Bearer` source leaves to the tokens.
pub(super) fn has_form(text: &[u8]) -> bool {
    text.starts_with(b"eyJ") && text.iter().filter(|byte| **byte == b'.').count() == 2
}

/// The algorithm of a name (RFC 7518, section 3.1; RFC 8037, section 3.1), exactly as it is spelled.
pub(super) fn algorithm(name: &str) -> Option<JwtAlgorithm> {
    Some(match name {
        "HS256" => JwtAlgorithm::Hs256,
        "HS384" => JwtAlgorithm::Hs384,
        "HS512" => JwtAlgorithm::Hs512,
        "RS256" => JwtAlgorithm::Rs256,
        "RS384" => JwtAlgorithm::Rs384,
        "RS512" => JwtAlgorithm::Rs512,
        "PS256" => JwtAlgorithm::Ps256,
        "PS384" => JwtAlgorithm::Ps384,
        "PS512" => JwtAlgorithm::Ps512,
        "ES256" => JwtAlgorithm::Es256,
        "ES384" => JwtAlgorithm::Es384,
        "EdDSA" => JwtAlgorithm::EdDsa,
        _ => return None,
    })
}

/// Base64url without padding (RFC 7515, section 2).
pub(super) fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}
