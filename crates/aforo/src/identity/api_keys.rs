//! The consumers by the hashes of their API keys.
//!
//! A key is hashed with SHA-256 and looked up by the first eight bytes of its hash; what is found
//! is compared whole and in constant time. The table's places are keyed with a secret of the
//! process, so that neither they nor their timing say anything about the stored hashes.
//! SHA-256 takes 73 ns for a key of 39 bytes with SHA instructions; a cache in front of it (a keyed
//! hash of the raw key) would save about 50 ns and would have to be emptied on every change of
//! a key, so there is none.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use aforo_policy::Consumer;
use sha2::{Digest, Sha256};
use smallvec::SmallVec;
use subtle::ConstantTimeEq;

use super::lookup::Hash;

/// The longest API key that is looked up, in bytes; a longer one is nobody's.
pub const LONGEST_KEY: usize = 4096;

/// The consumers by the SHA-256 of their API keys, and by id. Raw keys are not kept.
#[derive(Debug, Default)]
pub struct ApiKeys {
    by_hash: HashMap<u64, SmallVec<[Known; 1]>, Places>,
    by_id: HashMap<String, Arc<Consumer>>,
}

#[derive(Debug)]
struct Known {
    hash: Hash,
    consumer: Arc<Consumer>,
}

/// Where the first eight bytes of a SHA-256 stand: those are spread evenly already, and only a
/// secret is mixed in.
#[derive(Clone, Debug)]
struct Places {
    secret: u64,
}

struct Place(u64);

impl Default for Places {
    fn default() -> Self {
        let secret = RandomState::new().hash_one(0_u8);
        Self { secret }
    }
}

impl BuildHasher for Places {
    type Hasher = Place;

    fn build_hasher(&self) -> Place {
        Place(self.secret)
    }
}

impl Hasher for Place {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl ApiKeys {
    /// The keys of all consumers. Of two consumers with the same key the first has it (the file's
    /// validation refuses that).
    pub fn new<'a>(consumers: impl IntoIterator<Item = &'a Arc<Consumer>>) -> Self {
        let mut keys = Self::default();
        for consumer in consumers {
            for hash in &consumer.api_key_sha256 {
                let hash = words(hash);
                keys.by_hash.entry(tag(&hash)).or_default().push(Known {
                    hash,
                    consumer: Arc::clone(consumer),
                });
            }
            keys.by_id
                .entry(consumer.id.clone())
                .or_insert_with(|| Arc::clone(consumer));
        }
        keys
    }

    /// The consumer whose API key this is.
    pub fn consumer(&self, key: &[u8]) -> Option<&Arc<Consumer>> {
        if self.by_hash.is_empty() {
            return None;
        }
        self.by_hash(&hash(key)?)
    }

    /// The consumer whose API key has this hash.
    pub(crate) fn by_hash(&self, hash: &Hash) -> Option<&Arc<Consumer>> {
        let known = self.by_hash.get(&tag(hash))?;
        known
            .iter()
            .find(|known| bool::from(known.hash.ct_eq(hash)))
            .map(|known| &known.consumer)
    }

    /// The consumer of this id, for ids that a trusted peer verified.
    pub fn consumer_by_id(&self, id: &str) -> Option<&Arc<Consumer>> {
        self.by_id.get(id)
    }
}

/// The hash of a key that may be somebody's.
pub(crate) fn hash(key: &[u8]) -> Option<Hash> {
    if key.is_empty() || key.len() > LONGEST_KEY {
        return None;
    }
    Some(words(&Sha256::digest(key).into()))
}

fn words(hash: &[u8; 32]) -> Hash {
    let mut words = Hash::default();
    let (bytes, _) = hash.as_chunks::<8>();
    for (word, bytes) in words.iter_mut().zip(bytes) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// The first eight bytes of a hash.
const fn tag([first, ..]: &Hash) -> u64 {
    *first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consumer(id: &str, hashes: &[[u8; 32]]) -> Arc<Consumer> {
        Arc::new(Consumer {
            id: id.to_owned(),
            plan: None,
            team: None,
            org: None,
            contact: None,
            api_key_sha256: hashes.to_vec(),
            overrides: Vec::new(),
        })
    }

    fn id<'a>(keys: &'a ApiKeys, key: &str) -> Option<&'a str> {
        keys.consumer(key.as_bytes())
            .map(|consumer| consumer.id.as_str())
    }

    /// SHA-256 of "test", as `sha256sum` prints it.
    const OF_TEST: [u8; 32] = [
        0x9f, 0x86, 0xd0, 0x81, 0x88, 0x4c, 0x7d, 0x65, 0x9a, 0x2f, 0xea, 0xa0, 0xc5, 0x5a, 0xd0,
        0x15, 0xa3, 0xbf, 0x4f, 0x1b, 0x2b, 0x0b, 0x82, 0x2c, 0xd1, 0x5d, 0x6c, 0x15, 0xb0, 0xf0,
        0x0a, 0x08,
    ];

    #[test]
    fn a_key_is_found_by_its_hash() {
        let globex = Sha256::digest(b"globex-key").into();
        let keys = ApiKeys::new(&[
            consumer("acme", &[OF_TEST, [7; 32]]),
            consumer("globex", &[globex]),
        ]);
        assert_eq!(id(&keys, "test"), Some("acme"));
        assert_eq!(id(&keys, "globex-key"), Some("globex"));
        for unknown in ["", "Test", "test ", "tes", "acme"] {
            assert_eq!(id(&keys, unknown), None, "{unknown:?}");
        }
        assert_eq!(keys.consumer_by_id("acme").unwrap().id, "acme");
        assert!(keys.consumer_by_id("nobody").is_none());
    }

    #[test]
    fn hashes_that_begin_alike_are_told_apart() {
        let mut twin = OF_TEST;
        twin[31] ^= 1;
        let keys = ApiKeys::new(&[consumer("twin", &[twin]), consumer("acme", &[OF_TEST])]);
        assert_eq!(id(&keys, "test"), Some("acme"));
        let keys = ApiKeys::new(&[consumer("twin", &[twin])]);
        assert_eq!(id(&keys, "test"), None);
    }

    #[test]
    fn a_key_longer_than_any_is_nobodys() {
        let long = "k".repeat(LONGEST_KEY + 1);
        let longest = "k".repeat(LONGEST_KEY);
        let keys = ApiKeys::new(&[
            consumer("long", &[Sha256::digest(&long).into()]),
            consumer("longest", &[Sha256::digest(&longest).into()]),
        ]);
        assert_eq!(id(&keys, &long), None);
        assert_eq!(id(&keys, &longest), Some("longest"));
    }
}
