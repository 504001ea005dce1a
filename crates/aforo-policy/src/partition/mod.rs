//! What is counted apart: the parts of a partition key, resolved, encoded and hashed.

mod body;
mod cookie;
mod encoding;
mod host;
mod json;
mod media;
mod normalize;
mod origin;
mod spelling;
mod urlencoded;

#[cfg(test)]
mod tests;

use aforo_core::{HashKey, PartitionHash, Principal};
use smallvec::SmallVec;

pub(crate) use body::items;
pub(crate) use encoding::{Encoding, Tag};
#[cfg(feature = "graphql")]
pub(crate) use media::essence;
pub(crate) use normalize::normalized;
pub(crate) use origin::Origin;
pub(crate) use urlencoded::{Twice, field};

/// Bytes of one part; what is usual fits without an allocation.
pub(crate) type Bytes = SmallVec<[u8; 64]>;

/// A partition key, hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    pub(crate) principal: Principal,
    pub(crate) hash: PartitionHash,
}

impl Partition {
    /// Hashes an encoded partition key.
    pub(crate) fn of(encoding: &Encoding, key: &HashKey) -> Self {
        let hash = key.hash(encoding.as_bytes());
        let first = encoding.first();
        let principal = Principal {
            kind: encoding.kind(),
            hash: if first.len() == encoding.as_bytes().len() {
                hash
            } else {
                key.hash(first)
            },
        };
        Self { principal, hash }
    }
}
