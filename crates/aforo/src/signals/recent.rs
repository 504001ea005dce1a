//! The pairs of consumer and address that a thread has seen lately.

use std::cell::Cell;
use std::net::IpAddr;
use std::sync::Arc;

use aforo_policy::Consumer;

/// Pairs that a thread remembers.
const PLACES: usize = 1024;

thread_local! {
    static SEEN: [Cell<u64>; PLACES] = const { [const { Cell::new(0) }; PLACES] };
}

/// The pairs of consumer and address that a thread has seen lately. Two pairs may be taken for one:
/// once in 2^64, and where a consumer was forgotten and another has its place in memory.
pub(super) struct Recent {
    seed: u64,
}

/// A pair that was not seen lately.
#[derive(Clone, Copy)]
pub(super) struct Mark(u64);

impl Recent {
    /// Pairs of one limiter: `seed` is a secret, so that nobody can make up two alike.
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The mark of a pair in a window; `None` when this thread has seen it.
    pub(super) fn mark(
        &self,
        consumer: &Arc<Consumer>,
        address: IpAddr,
        window: u64,
    ) -> Option<Mark> {
        let mark = self.hash(Arc::as_ptr(consumer).addr() as u64, address, window);
        let seen = SEEN.with(|seen| place(seen, mark).is_some_and(|place| place.get() == mark));
        (!seen).then_some(Mark(mark))
    }

    /// Remembers a pair on this thread.
    pub(super) fn remember(&self, Mark(mark): Mark) {
        SEEN.with(|seen| {
            if let Some(place) = place(seen, mark) {
                place.set(mark);
            }
        });
    }

    fn hash(&self, consumer: u64, address: IpAddr, window: u64) -> u64 {
        let address = match address {
            IpAddr::V4(address) => u128::from(address.to_bits()),
            IpAddr::V6(address) => address.to_bits(),
        };
        let (high, low) = ((address >> 64) as u64, address as u64);
        let pair = folded(consumer ^ self.seed, low ^ ODD);
        // Zero is an empty place.
        folded(pair ^ high, window ^ self.seed.rotate_left(32) ^ ODD) | 1
    }
}

/// Bits without a pattern: the golden ratio's.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Both halves of a product: every bit of it depends on every bit of the factors.
const fn folded(one: u64, other: u64) -> u64 {
    let product = (one as u128).wrapping_mul(other as u128);
    (product >> 64) as u64 ^ product as u64
}

fn place(seen: &[Cell<u64>; PLACES], mark: u64) -> Option<&Cell<u64>> {
    let place = usize::try_from(mark >> 32).unwrap_or(0);
    seen.get(place % PLACES)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_pair_is_new_until_it_is_remembered_and_in_each_window() {
        let recent = Recent::new(7);
        let (acme, globex) = (consumer("acme"), consumer("globex"));
        let (one, two) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let mark = recent.mark(&acme, one, 1).unwrap();
        assert!(recent.mark(&acme, one, 1).is_some());
        recent.remember(mark);
        assert!(recent.mark(&acme, one, 1).is_none());
        assert!(recent.mark(&acme, two, 1).is_some());
        assert!(recent.mark(&globex, one, 1).is_some());
        assert!(recent.mark(&acme, one, 2).is_some());
        assert!(Recent::new(8).mark(&acme, one, 1).is_some());
        let elsewhere = std::thread::spawn(move || recent.mark(&acme, one, 1).is_some());
        assert!(elsewhere.join().unwrap());
    }

    #[test]
    fn addresses_of_one_consumer_have_marks_of_their_own() {
        let recent = Recent::new(0x1234_5678_9abc_def0);
        let acme = consumer("acme");
        let mut marks: Vec<u64> = (0..100_000_u32)
            .map(|n| {
                recent
                    .mark(&acme, IpAddr::from(n.to_be_bytes()), 1)
                    .unwrap()
                    .0
            })
            .collect();
        marks.sort_unstable();
        marks.dedup();
        assert_eq!(marks.len(), 100_000);
    }
}
