//! Partition keys of consumers that were hashed a moment ago: a consumer is the same in each of its
//! requests, and so is a route.

use std::cell::RefCell;
use std::sync::Arc;

use aforo_core::{HashKey, PartitionHash};

use crate::Consumer;
use crate::partition::Partition;

/// How many consumers each thread remembers. One that falls on the place of another takes it.
const PLACES: usize = 256;

/// The longest label of a route that is remembered, in bytes.
const LONGEST_LABEL: usize = 47;

thread_local! {
    static REMEMBERED: RefCell<Vec<Option<Remembered>>> = const { RefCell::new(Vec::new()) };
}

/// A consumer's partition keys. It holds the consumer, so that its address stays its own.
struct Remembered {
    consumer: Arc<Consumer>,
    key: HashKey,
    alone: Partition,
    /// The last route, by its label, since another file may give another route the same address.
    label: [u8; LONGEST_LABEL],
    length: u8,
    in_route: PartitionHash,
}

/// The partition of a consumer alone, by `hashed` where it is not remembered.
pub(super) fn alone(
    consumer: &Arc<Consumer>,
    key: &HashKey,
    hashed: impl FnOnce() -> Partition,
) -> Partition {
    if let Some(known) = with(consumer, key, |known| known.alone) {
        return known;
    }
    let alone = hashed();
    // Whoever is held by nobody else was made for this one request.
    if Arc::strong_count(consumer) > 1 {
        remember(Remembered {
            consumer: Arc::clone(consumer),
            key: *key,
            alone,
            label: [0; LONGEST_LABEL],
            length: 0,
            in_route: alone.hash,
        });
    }
    alone
}

/// The hash of a consumer's partition key in a route, by `hashed` where it is not remembered.
pub(super) fn in_route(
    consumer: &Arc<Consumer>,
    key: &HashKey,
    label: &[u8],
    hashed: impl FnOnce() -> PartitionHash,
) -> PartitionHash {
    let known = with(consumer, key, |known| known.in_route_of(label)).flatten();
    known.unwrap_or_else(|| {
        let hash = hashed();
        with(consumer, key, |known| known.note(label, hash));
        hash
    })
}

impl Remembered {
    fn in_route_of(&self, label: &[u8]) -> Option<PartitionHash> {
        let held = self.label.get(..usize::from(self.length))?;
        (held == label && !label.is_empty()).then_some(self.in_route)
    }

    fn note(&mut self, label: &[u8], hash: PartitionHash) {
        let (Some(room), Ok(length)) = (self.label.get_mut(..label.len()), label.len().try_into())
        else {
            return;
        };
        room.copy_from_slice(label);
        (self.length, self.in_route) = (length, hash);
    }
}

/// What is remembered of a consumer. A thread that ends remembers nothing.
#[inline]
fn with<T>(
    consumer: &Arc<Consumer>,
    key: &HashKey,
    look: impl FnOnce(&mut Remembered) -> T,
) -> Option<T> {
    let found = REMEMBERED.try_with(|places| {
        let mut places = places.try_borrow_mut().ok()?;
        let held = places.get_mut(place(consumer))?.as_mut()?;
        let is_it = Arc::ptr_eq(&held.consumer, consumer) && held.key == *key;
        is_it.then(|| look(held))
    });
    found.ok().flatten()
}

#[cold]
fn remember(one: Remembered) {
    let _ends = REMEMBERED.try_with(|places| {
        let mut places = places.try_borrow_mut().ok()?;
        if places.is_empty() {
            places.resize_with(PLACES, || None);
        }
        places.get_mut(place(&one.consumer))?.replace(one)
    });
}

/// A place by the address.
fn place(consumer: &Arc<Consumer>) -> usize {
    let address = Arc::as_ptr(consumer).addr() as u64;
    let mixed = address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (mixed as usize) % PLACES
}

#[cfg(test)]
mod tests {
    use aforo_core::Principal;

    use super::*;

    const KEY: HashKey = HashKey::new([1, 2]);

    fn consumer(id: &str) -> Arc<Consumer> {
        Arc::new(Consumer {
            id: id.to_owned(),
            plan: None,
            team: None,
            org: None,
            contact: None,
            api_key_sha256: Vec::new(),
            overrides: Vec::new(),
        })
    }

    fn partition(number: u128) -> Partition {
        let hash = PartitionHash(number);
        Partition {
            principal: Principal::known(hash),
            hash,
        }
    }

    fn told(consumer: &Arc<Consumer>, key: &HashKey, number: u128) -> u128 {
        alone(consumer, key, || partition(number)).hash.0
    }

    fn told_in(consumer: &Arc<Consumer>, label: &[u8], number: u128) -> u128 {
        in_route(consumer, &KEY, label, || PartitionHash(number)).0
    }

    #[test]
    fn a_consumer_is_remembered_by_itself_and_under_its_secret() {
        let (acme, twin) = (consumer("acme"), consumer("acme"));
        let _held = (Arc::clone(&acme), Arc::clone(&twin));
        assert_eq!(told(&acme, &KEY, 1), 1);
        assert_eq!(told(&acme, &KEY, 2), 1);
        assert_eq!(told(&twin, &KEY, 3), 3);
        let other = HashKey::new([1, 3]);
        assert_eq!(told(&acme, &other, 4), 4);
        assert_eq!(told(&acme, &KEY, 5), 5);
    }

    #[test]
    fn the_last_route_is_remembered_by_its_whole_label() {
        let acme = consumer("acme");
        let _held = Arc::clone(&acme);
        assert_eq!(told_in(&acme, b"GET /a", 1), 1, "nothing is known of it");
        told(&acme, &KEY, 9);
        assert_eq!(told_in(&acme, b"", 1), 1);
        assert_eq!(told_in(&acme, b"GET /a", 2), 2);
        assert_eq!(told_in(&acme, b"GET /a", 3), 2);
        assert_eq!(told_in(&acme, b"GET /", 4), 4);
        assert_eq!(told_in(&acme, b"GET /a", 5), 5);
        let long = [b'x'; LONGEST_LABEL + 1];
        assert_eq!(told_in(&acme, &long, 6), 6);
        assert_eq!(told_in(&acme, &long, 7), 7);
        assert_eq!(told_in(&acme, &long[1..], 8), 8);
        assert_eq!(told_in(&acme, &long[1..], 9), 8);
        assert_eq!(told(&acme, &KEY, 1), 9);
    }

    #[test]
    fn who_is_made_for_one_request_is_not_remembered() {
        let passing = consumer("passing");
        assert_eq!(told(&passing, &KEY, 1), 1);
        assert_eq!(told(&passing, &KEY, 2), 2);
        assert_eq!(Arc::strong_count(&passing), 1);
    }

    #[test]
    fn more_consumers_than_places_each_get_their_own() {
        let many: Vec<_> = (0..1_000).map(|n| consumer(&format!("c{n}"))).collect();
        let _held = many.clone();
        for _ in 0..2 {
            for (number, one) in (0_u128..).zip(&many) {
                assert_eq!(told(one, &KEY, number), number);
                assert_eq!(told_in(one, b"GET /", number + 7), number + 7);
            }
        }
        assert_eq!(REMEMBERED.with_borrow(Vec::len), PLACES);
    }
}
