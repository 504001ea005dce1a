//! Partition keys are injective, and addresses are cut.

use std::collections::HashMap;
use std::net::IpAddr;

use aforo_core::{HashKey, PrincipalKind};
use proptest::prelude::*;

use crate::partition::{Encoding, Partition, Tag};

const TAGS: [Tag; 10] = [
    Tag::Consumer,
    Tag::Team,
    Tag::Org,
    Tag::Address,
    Tag::Route,
    Tag::Method,
    Tag::Host,
    Tag::Everyone,
    Tag::Plan,
    Tag::Value,
];

type Parts = Vec<(usize, Vec<u8>)>;

fn encoded(parts: &Parts) -> Encoding {
    let mut encoding = Encoding::default();
    for (tag, value) in parts {
        encoding.push(TAGS[*tag], value);
    }
    encoding
}

fn address(text: &str, prefix: u8) -> Vec<u8> {
    let mut encoding = Encoding::default();
    encoding.push_address(text.parse::<IpAddr>().unwrap(), prefix);
    encoding.as_bytes().to_vec()
}

/// The first 128 bytes are kept elsewhere than what is longer, and lengths of two bytes begin there.
#[test]
fn a_key_is_tag_length_and_bytes_of_each_part_whatever_its_length() {
    for length in (0..=300).chain([16_383, 16_384]) {
        let value = vec![b'x'; length];
        let written = match length {
            0..=127 => vec![length as u8],
            128..=16_383 => vec![(length % 128) as u8 | 0x80, (length / 128) as u8],
            _ => vec![0x80, 0x80, 1],
        };
        let encoding = encoded(&vec![
            (0, b"ab".to_vec()),
            (9, value.clone()),
            (4, vec![b'r']),
        ]);
        let expected = [b"c\x02abv", &*written, &*value, b"r\x01r"].concat();
        assert_eq!(encoding.as_bytes(), expected, "{length}");
        assert_eq!(encoding.first(), b"c\x02ab");
    }
}

/// What two keys that read alike when glued together would be.
fn parts() -> impl Strategy<Value = Parts> {
    let value = prop_oneof![
        4 => prop::collection::vec(prop::sample::select(b"ab\x01\x02cv".to_vec()), 0..4),
        1 => prop::collection::vec(any::<u8>(), 120..300),
    ];
    prop::collection::vec((prop::sample::select(vec![0, 3, 9]), value), 1..4)
}

proptest! {
    #[test]
    fn different_parts_have_different_keys(keys in prop::collection::vec(parts(), 2..40)) {
        let mut seen: HashMap<Vec<u8>, Parts> = HashMap::new();
        for key in keys {
            let bytes = encoded(&key).as_bytes().to_vec();
            if let Some(other) = seen.insert(bytes, key.clone()) {
                prop_assert_eq!(other, key);
            }
        }
    }
}

#[test]
fn the_boundary_of_parts_counts() {
    let split = |parts: &[&[u8]]| {
        let mut encoding = Encoding::default();
        for part in parts {
            encoding.push(Tag::Value, part);
        }
        encoding.as_bytes().to_vec()
    };
    assert_ne!(split(&[b"ab", b"c"]), split(&[b"a", b"bc"]));
    assert_ne!(split(&[b"abc"]), split(&[b"abc", b""]));
    assert_eq!(split(&[&[0; 200]])[..3], [b'v', 0xc8, 0x01]);
}

#[test]
fn a_tag_sets_equal_texts_apart() {
    let of = |tag| encoded(&vec![(tag, b"acme".to_vec())]).as_bytes().to_vec();
    for one in 0..TAGS.len() {
        for other in 0..one {
            assert_ne!(of(one), of(other));
        }
    }
}

#[test]
fn the_first_part_is_the_principal() {
    let key = HashKey::new([1, 2]);
    let mut encoding = Encoding::default();
    encoding.push(Tag::Consumer, b"acme");
    let alone = Partition::of(&encoding, &key);
    assert_eq!(alone.principal.hash, alone.hash);
    assert_eq!(alone.hash, key.hash(b"c\x04acme"));
    encoding.push(Tag::Value, b"x");
    let both = Partition::of(&encoding, &key);
    assert_eq!(both.principal.hash, alone.principal.hash);
    assert_eq!(both.hash, key.hash(b"c\x04acmev\x01x"));
}

#[test]
fn what_strangers_make_up_is_no_known_principal() {
    let kind = |tag: &Tag| {
        let mut encoding = Encoding::default();
        encoding.push(*tag, b"x");
        encoding.kind()
    };
    let made_up = [Tag::Address, Tag::Host, Tag::Value];
    for tag in &TAGS {
        let expected = if made_up.contains(tag) {
            PrincipalKind::Stranger
        } else {
            PrincipalKind::Known
        };
        assert_eq!(kind(tag), expected, "{tag:?}");
    }
}

#[test]
fn a_made_up_part_behind_a_known_one_makes_keys_without_end() {
    let mut encoding = Encoding::default();
    encoding.push(Tag::Route, b"GET /a");
    assert_eq!(encoding.kind(), PrincipalKind::Known);
    encoding.push(Tag::Address, &[192, 0, 2, 1]);
    assert_eq!(encoding.kind(), PrincipalKind::Stranger);
}

#[test]
fn an_ipv6_address_is_cut_and_an_ipv4_one_is_not() {
    assert_eq!(address("2001:db8::1", 64), address("2001:db8::ffff:2", 64));
    assert_ne!(address("2001:db8::1", 64), address("2001:db8:0:1::1", 64));
    assert_eq!(
        address("2001:db8:0:1::1", 48),
        address("2001:db8:0:2::1", 48)
    );
    assert_ne!(address("2001:db8::1", 128), address("2001:db8::2", 128));
    assert_eq!(address("2001:db8::1", 0), address("fe80::2", 0));
    assert_ne!(address("192.0.2.1", 64), address("192.0.2.2", 64));
    assert_ne!(address("192.0.2.1", 0), address("192.0.2.2", 0));
    assert_eq!(address("192.0.2.1", 64), address("::ffff:192.0.2.1", 64));
    assert_ne!(address("2001:db8::", 64), address("2001:db8::", 48));
}
