//! A table of a fixed number of places, in which the least recently used entry of a row gives way.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aforo_core::Timestamp;
use subtle::ConstantTimeEq;

/// A SHA-256 in words: four comparisons in constant time instead of 32.
pub(crate) type Hash = [u64; 4];

/// Entries of a row.
const ROW: usize = 8;

/// Values by the hashes of what was sent, never more of them than there are places. A row is chosen
/// by a secret of the process, so that nobody can make up hashes of one row.
pub(crate) struct Space<V> {
    rows: Box<[Mutex<Vec<Entry<V>>>]>,
    secret: RandomState,
}

struct Entry<V> {
    hash: Hash,
    used: Timestamp,
    value: V,
}

impl<V> Space<V> {
    /// A space of about `places` places: rows of eight, as many as a power of two.
    pub(crate) fn new(places: usize) -> Self {
        let rows = places.div_ceil(ROW).max(1).next_power_of_two();
        Self {
            rows: (0..rows).map(|_| Mutex::default()).collect(),
            secret: RandomState::new(),
        }
    }

    /// What `read` makes of the value of a hash.
    pub(crate) fn read<T>(
        &self,
        hash: &Hash,
        now: Timestamp,
        read: impl FnOnce(&mut V) -> T,
    ) -> Option<T> {
        let mut row = self.row(hash)?;
        let entry = row.iter_mut().find(|entry| same(&entry.hash, hash))?;
        entry.used = now;
        Some(read(&mut entry.value))
    }

    /// Puts a value in. In a full row, the entry that was not used for longest gives way.
    pub(crate) fn put(&self, hash: &Hash, now: Timestamp, value: V) {
        let Some(mut row) = self.row(hash) else {
            return;
        };
        let entry = Entry {
            hash: *hash,
            used: now,
            value,
        };
        let held = row.iter().position(|entry| same(&entry.hash, hash));
        let oldest = || {
            let used = row.iter().enumerate().map(|(at, entry)| (entry.used, at));
            used.min().map(|(_, at)| at)
        };
        let place = held.or_else(|| if row.len() < ROW { None } else { oldest() });
        match place.and_then(|place| row.get_mut(place)) {
            Some(place) => *place = entry,
            None => row.push(entry),
        }
    }

    /// Takes a value out.
    pub(crate) fn remove(&self, hash: &Hash) {
        if let Some(mut row) = self.row(hash) {
            row.retain(|entry| !same(&entry.hash, hash));
        }
    }

    fn row(&self, hash: &Hash) -> Option<MutexGuard<'_, Vec<Entry<V>>>> {
        let [first, ..] = hash;
        let mask = self.rows.len().saturating_sub(1);
        let place = usize::try_from(self.secret.hash_one(first) & mask as u64).unwrap_or(0);
        let row = self.rows.get(place)?;
        Some(row.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn same(one: &Hash, other: &Hash) -> bool {
    one.ct_eq(other).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(number: u64) -> Hash {
        [number.wrapping_mul(0x9e37_79b9_7f4a_7c15), number, 0, 0]
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    fn value(space: &Space<u64>, number: u64, now: u64) -> Option<u64> {
        space.read(&hash(number), at(now), |value| *value)
    }

    #[test]
    fn a_value_is_found_until_it_is_taken_out() {
        let space = Space::new(64);
        space.put(&hash(1), at(1), 10);
        space.put(&hash(2), at(1), 20);
        space.put(&hash(1), at(2), 11);
        assert_eq!(value(&space, 1, 3), Some(11));
        assert_eq!(value(&space, 2, 3), Some(20));
        assert_eq!(value(&space, 3, 3), None);
        space.remove(&hash(1));
        assert_eq!(value(&space, 1, 3), None);
    }

    #[test]
    fn a_hash_that_differs_in_its_last_word_is_another() {
        let space = Space::new(8);
        space.put(&[7, 7, 7, 7], at(1), 1);
        assert_eq!(space.read(&[7, 7, 7, 8], at(1), |value| *value), None);
    }

    #[test]
    fn a_flood_never_holds_more_than_the_places() {
        let space = Space::new(100);
        for number in 0..10_000 {
            space.put(&hash(number), at(number), number);
        }
        let held = space
            .rows
            .iter()
            .map(|row| row.lock().unwrap().len())
            .sum::<usize>();
        assert!((100..=128).contains(&held), "{held}");
    }

    #[test]
    fn what_is_used_stays_and_what_is_not_gives_way() {
        let space = Space::new(8);
        for number in 0..8 {
            space.put(&hash(number), at(number), number);
        }
        assert_eq!(value(&space, 0, 100), Some(0));
        for number in 8..15 {
            space.put(&hash(number), at(93 + number), number);
        }
        assert_eq!(value(&space, 0, 200), Some(0));
        for number in 1..8 {
            assert_eq!(value(&space, number, 200), None, "{number}");
        }
    }
}
