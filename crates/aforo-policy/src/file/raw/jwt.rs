//! `jwt` in `[identity]`.

use super::RawCredentialSource;
use super::choice::Choice;
use crate::file::read::{OneOrMany, Text};
use crate::file::table::{table, words};
use crate::{JwtAlgorithm, Secret};

table! {
    /// Tokens that name a consumer. One of `keys_file`, `jwks_url` and `secret` says what their
    /// signatures are checked with. A consumer is counted as `ISSUER|SUBJECT`, so that it is none
    /// of `[[consumers]]` unless one has that id.
    RawJwt {
        /// A file with public keys: a JWK set, or PEM (`BEGIN PUBLIC KEY`).
        optional keys_file: Text,
        /// Where a JWK set is fetched. It is fetched again every five minutes, and once a minute
        /// when a token names a key that is not in it.
        optional jwks_url: Text,
        /// A secret of at least 32 bytes that is shared with the issuer, for HS256 unless
        /// `algorithms` says otherwise.
        optional secret: Secret,
        /// The algorithms that are believed. Default: those that the keys are for; a key that says
        /// none is for RS256, ES256 or ES384 (by its curve), or EdDSA.
        optional algorithms: OneOrMany<Choice<JwtAlgorithm>>,
        /// Who issues them: the claim `iss`.
        required issuer: Text,
        /// Whom they are for: one of these is in the claim `aud`. Left out: a token with that claim
        /// is for somebody else.
        optional audience: OneOrMany<Text>,
        /// Where they are read. Default: `{ header = "authorization", scheme = "Bearer" }`.
        optional source: RawCredentialSource,
        /// The claim with the consumer's id. Default: `sub`.
        optional consumer: Text,
        /// The claim with the name of its plan. Default: none, which means `default_plan`.
        optional plan: Text,
        /// The claim with the name of its team.
        optional team: Text,
        /// The claim with the name of its organisation.
        optional org: Text,
        /// How far `exp` and `nbf` may be off, for clocks that disagree. Default: `0s`.
        optional leeway: Text,
    }
}

words!(JwtAlgorithm {
    "HS256" => Self::Hs256, "HMAC with SHA-256.";
    "HS384" => Self::Hs384, "HMAC with SHA-384.";
    "HS512" => Self::Hs512, "HMAC with SHA-512.";
    "RS256" => Self::Rs256, "RSA PKCS #1 v1.5 with SHA-256.";
    "RS384" => Self::Rs384, "RSA PKCS #1 v1.5 with SHA-384.";
    "RS512" => Self::Rs512, "RSA PKCS #1 v1.5 with SHA-512.";
    "PS256" => Self::Ps256, "RSA PSS with SHA-256.";
    "PS384" => Self::Ps384, "RSA PSS with SHA-384.";
    "PS512" => Self::Ps512, "RSA PSS with SHA-512.";
    "ES256" => Self::Es256, "ECDSA on P-256 with SHA-256.";
    "ES384" => Self::Es384, "ECDSA on P-384 with SHA-384.";
    "EdDSA" => Self::EdDsa, "Ed25519.";
});
