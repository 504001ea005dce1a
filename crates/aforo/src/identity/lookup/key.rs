//! An API key as a caller sent it.

use std::fmt;

use sha2::{Digest, Sha256};

/// An API key as a caller sent it. Neither the key nor its hash shows in its `Debug`.
///
/// ```
/// use aforo::identity::PresentedKey;
/// let key = PresentedKey::new(b"test");
/// assert_eq!(key.sha256()[..4], [0x9f, 0x86, 0xd0, 0x81]);
/// assert_eq!(format!("{key:?}"), "PresentedKey(..)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct PresentedKey {
    bytes: Box<[u8]>,
    sha256: [u8; 32],
}

impl PresentedKey {
    /// The key of these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self {
            sha256: Sha256::digest(bytes).into(),
            bytes: bytes.into(),
        }
    }

    /// The key itself. Compare its hash instead where that is possible.
    pub const fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its SHA-256.
    pub const fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }
}

impl fmt::Debug for PresentedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PresentedKey(..)")
    }
}
