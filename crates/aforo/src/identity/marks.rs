//! What was told already, so that it is told once.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many things are remembered at most.
const PLACES: usize = 256;
/// How many places one thing may have.
const PROBES: usize = 8;

/// At most 256 things that were told already, so that neither memory nor the log grows with what
/// strangers send; others are not told.
#[derive(Debug)]
pub(crate) struct Marks {
    hasher: RandomState,
    places: [AtomicU64; PLACES],
}

impl Default for Marks {
    fn default() -> Self {
        Self {
            hasher: RandomState::new(),
            places: [const { AtomicU64::new(0) }; PLACES],
        }
    }
}

impl Marks {
    /// Whether this is the first time and there was room to remember it.
    pub(crate) fn is_first(&self, thing: &(impl Hash + ?Sized)) -> bool {
        // Zero means an empty place.
        let mark = self.hasher.hash_one(thing) | 1;
        let start = usize::try_from(mark >> 32).unwrap_or(0);
        for probe in 0..PROBES {
            let place = start.wrapping_add(probe) % PLACES;
            let Some(place) = self.places.get(place) else {
                return false;
            };
            match place.compare_exchange(0, mark, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(other) if other == mark => return false,
                Err(_) => {}
            }
        }
        false
    }
}
