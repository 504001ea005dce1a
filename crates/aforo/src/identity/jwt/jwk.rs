//! A set of public keys (JWK set, RFC 7517).

use aforo_policy::JwtAlgorithm;
use serde::Deserialize;

use super::key::{Key, Material};
use super::token::{algorithm, decoded};

/// The most keys of a set that are read.
const MOST_KEYS: usize = 64;

#[derive(Deserialize)]
struct Set {
    keys: Vec<serde_json::Value>,
}

/// A key as it is written. Secrets (`kty: oct`) do not belong into a set that others may read, and
/// are not taken from one.
#[derive(Deserialize)]
struct Written {
    kty: String,
    #[serde(rename = "use")]
    used: Option<String>,
    alg: Option<String>,
    kid: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

/// The keys of a set that tokens can be verified with; others are skipped (RFC 7517, section 5).
/// `None` when it is no set.
pub(super) fn keys(text: &[u8], believed: &[JwtAlgorithm]) -> Option<Vec<Key>> {
    let set: Set = serde_json::from_slice(text).ok()?;
    let written = set.keys.into_iter().take(MOST_KEYS);
    let keys = written.filter_map(|key| one(serde_json::from_value(key).ok()?, believed));
    Some(keys.filter(|key| !key.algorithms.is_empty()).collect())
}

fn one(written: Written, believed: &[JwtAlgorithm]) -> Option<Key> {
    if written.used.as_deref().is_some_and(|used| used != "sig") {
        return None;
    }
    let own = match written.alg.as_deref() {
        Some(name) => Some(algorithm(name)?),
        None => None,
    };
    let number = |text: &Option<String>| decoded(text.as_ref()?.as_bytes());
    let material = match (written.kty.as_str(), written.crv.as_deref()) {
        ("RSA", _) => Material::Rsa {
            modulus: number(&written.n)?,
            exponent: number(&written.e)?,
        },
        ("EC", Some("P-256")) => Material::P256(point(number(&written.x)?, number(&written.y)?)),
        ("EC", Some("P-384")) => Material::P384(point(number(&written.x)?, number(&written.y)?)),
        ("OKP", Some("Ed25519")) => Material::Ed25519(number(&written.x)?),
        _ => return None,
    };
    Some(Key::new(written.kid, material, own, believed))
}

/// An uncompressed point (SEC 1, section 2.3.3).
fn point(x: Vec<u8>, y: Vec<u8>) -> Vec<u8> {
    [vec![4], x, y].concat()
}
