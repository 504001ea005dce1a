//! SHA-256 in hex, as an aforo file holds API keys.

use sha2::{Digest, Sha256};

/// The SHA-256 of an API key, in hex.
///
/// ```
/// assert!(aforo_benches::sha256::sha256_hex("test").starts_with("9f86d081884c7d65"));
/// ```
pub fn sha256_hex(key: &str) -> String {
    let digest = Sha256::digest(key.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
