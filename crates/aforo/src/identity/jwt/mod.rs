//! Consumers behind signed tokens (JWT, RFC 7519; JWS, RFC 7515).
//!
//! A token is believed when its signature holds under a key of the file, with the algorithm that
//! this key is for, and `exp`, `nbf`, `iss` and `aud` hold. A key carries its algorithms, so that
//! neither `alg: none` nor a public key used as a shared secret is ever tried. Its time is the
//! limiter's clock; `exp` and `nbf` are looked at for every request. A signature is checked at most
//! once a minute for a token, good or bad; what is remembered is bounded, by a keyed hash, and
//! tokens that failed have a space of their own.
//!
//! Signatures are checked by ring, which the gateway's TLS brings along anyway.

mod claims;
mod jwk;
mod key;
mod pem;
mod token;
mod tokens;

pub(crate) use tokens::{TokenOwner, Tokens};
