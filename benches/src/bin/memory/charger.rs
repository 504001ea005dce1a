//! Whoever charges one key: Aforo's memory store, or governor.

use std::hash::Hash;
use std::hint::black_box;

use aforo_benches::Failure;
use aforo_benches::batched::{Batched, ThreeGoverned};
use aforo_benches::governed::Governed;
use aforo_benches::keys::{self, KEYS};
use aforo_benches::stored::Stored;

/// Charges one unit to the key at a place; tells whether it was there.
pub(crate) trait Charger: Sync {
    fn charge(&self, place: u32) -> bool;
}

impl<K: Hash + Eq + Clone + Sync + Send> Charger for Governed<K> {
    #[inline]
    fn charge(&self, place: u32) -> bool {
        Governed::charge(self, place)
    }
}

impl Charger for Stored {
    #[inline]
    fn charge(&self, place: u32) -> bool {
        Stored::charge(self, place)
    }
}

impl Charger for Batched {
    #[inline]
    fn charge(&self, place: u32) -> bool {
        Batched::charge(self, place)
    }
}

impl Charger for ThreeGoverned {
    #[inline]
    fn charge(&self, place: u32) -> bool {
        ThreeGoverned::charge(self, place)
    }
}

/// Aforo's store, asked for all numbers of the outcome.
pub(crate) struct Told<'a>(pub(crate) &'a Stored);

impl Charger for Told<'_> {
    #[inline]
    fn charge(&self, place: u32) -> bool {
        black_box(self.0.charge_for_numbers(place)).is_some()
    }
}

/// governor's keys: owned strings, built beforehand.
pub(crate) fn strings() -> Vec<String> {
    let text = |place| String::from_utf8_lossy(&keys::array(place)).into_owned();
    (0..KEYS).map(text).collect()
}

/// Charges every key once, so that every entry is live.
pub(crate) fn fill(charger: &impl Charger) -> Result<(), Failure> {
    let count = u32::try_from(KEYS)?;
    match (0..count).all(|place| charger.charge(place)) {
        true => Ok(()),
        false => Err("a first charge was denied".into()),
    }
}
