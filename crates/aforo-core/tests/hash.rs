//! The hash of partition keys: literal vectors, and the siphasher crate as an independent model.

use std::hash::Hasher;

use aforo_core::{HashKey, PartitionHash};
use proptest::prelude::*;
use siphasher::sip128::{Hasher128, SipHasher13};

fn model(words: [u64; 2], bytes: &[u8]) -> PartitionHash {
    let mut hasher = SipHasher13::new_with_keys(words[0], words[1]);
    hasher.write(bytes);
    PartitionHash(hasher.finish128().as_u128())
}

proptest! {
    #[test]
    fn equals_siphasher(words: [u64; 2], bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(HashKey::new(words).hash(&bytes), model(words, &bytes));
    }
}

#[test]
fn every_length_around_a_word() {
    let bytes: Vec<u8> = (0..=255).collect();
    for length in 0..=bytes.len() {
        let words = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        let bytes = &bytes[..length];
        assert_eq!(
            HashKey::new(words).hash(bytes),
            model(words, bytes),
            "{length} bytes"
        );
    }
}

#[test]
fn debug_shows_nothing_of_the_secret() {
    assert_eq!(
        format!("{:?}", HashKey::new([4711, 4712])),
        "HashKey(secret)"
    );
}
