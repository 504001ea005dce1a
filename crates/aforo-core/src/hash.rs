//! The keyed hash of partition keys: SipHash-1-3 with 128 bits of output.

use core::fmt;

/// A secret of 128 bits. Who does not know it can neither aim at another's counter nor read
/// who was counted. Its `Debug` shows nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HashKey([u64; 2]);

/// The keyed hash of a partition key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionHash(pub u128);

impl HashKey {
    /// A key from two secret words.
    pub const fn new(words: [u64; 2]) -> Self {
        Self(words)
    }

    /// Hashes a partition key.
    pub fn hash(&self, bytes: &[u8]) -> PartitionHash {
        let _ = (bytes, self.0);
        todo!()
    }
}

impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey(secret)")
    }
}
