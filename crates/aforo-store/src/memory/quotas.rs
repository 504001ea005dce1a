//! The quotas that wrote the entries, by number.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use aforo_core::Quota;

/// Quotas at hand; the first chunk after them holds as many again, each further one twice as
/// many as the one before.
const FIRST: u32 = 64;
/// Enough chunks for every number of 32 bits.
const CHUNKS: usize = 26;
/// Places that remember the last number of a quota.
const RECENT: usize = 256;

type Chunk = OnceLock<Box<[OnceLock<Quota>]>>;

/// Gives each distinct quota a number, for ever. Reading takes no lock. It grows with the quotas
/// that an operator ever writes, never with callers.
#[derive(Debug)]
pub(super) struct Quotas {
    first: Box<[OnceLock<Quota>]>,
    chunks: [Chunk; CHUNKS],
    numbers: Mutex<HashMap<Quota, u32>>,
    recent: Box<[AtomicU32]>,
}

impl Quotas {
    pub(super) fn new() -> Self {
        Self {
            first: (0..FIRST).map(|_| OnceLock::new()).collect(),
            chunks: [const { OnceLock::new() }; CHUNKS],
            numbers: Mutex::new(HashMap::new()),
            recent: (0..RECENT).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// The quota with this number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&Quota> {
        match self.first.get(number as usize) {
            Some(first) => first.get(),
            None => self.get_later(number),
        }
    }

    fn get_later(&self, number: u32) -> Option<&Quota> {
        let (chunk, place) = position(number);
        self.chunks.get(chunk)?.get()?.get(place)?.get()
    }

    /// The number of a quota.
    pub(super) fn number(&self, quota: &Quota) -> u32 {
        let recent = self.recent.get(mix(quota) % RECENT);
        if let Some(recent) = recent {
            let number = recent.load(Ordering::Relaxed);
            if self.get(number) == Some(quota) {
                return number;
            }
        }
        let number = self.enter(quota);
        if let Some(recent) = recent {
            recent.store(number, Ordering::Relaxed);
        }
        number
    }

    fn enter(&self, quota: &Quota) -> u32 {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = numbers.get(quota) {
            return *number;
        }
        // Memory ends long before the numbers do.
        let number = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        let (later, place) = position(number);
        if let Some(first) = self.first.get(number as usize) {
            first.get_or_init(|| *quota);
        } else if let Some(chunk) = self.chunks.get(later) {
            let size = (u64::from(FIRST) << later) as usize;
            let quotas = chunk.get_or_init(|| (0..size).map(|_| OnceLock::new()).collect());
            if let Some(place) = quotas.get(place) {
                place.get_or_init(|| *quota);
            }
        }
        numbers.insert(*quota, number);
        number
    }
}

/// The chunk of a number beyond the first, and its place therein.
fn position(number: u32) -> (usize, usize) {
    let number = number.max(FIRST);
    let chunk = number.ilog2().saturating_sub(FIRST.ilog2());
    (chunk as usize, (number ^ (1 << number.ilog2())) as usize)
}

fn mix(quota: &Quota) -> usize {
    let numbers = quota.amount() ^ quota.capacity().rotate_left(21) ^ quota.shape().window;
    let mixed = numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
    mixed as usize
}

#[cfg(test)]
mod tests {
    use aforo_core::Span;

    use super::*;

    fn quota(amount: u64) -> Quota {
        Quota::token_bucket(amount, Span::from_seconds(60), None).unwrap()
    }

    #[test]
    fn numbers_fill_the_chunks_without_a_gap() {
        assert_eq!(position(64), (0, 0));
        assert_eq!(position(127), (0, 63));
        assert_eq!(position(128), (1, 0));
        assert_eq!(position(255), (1, 127));
        assert_eq!(position(256), (2, 0));
        assert_eq!(position(u32::MAX).0, CHUNKS - 1);
    }

    #[test]
    fn a_quota_keeps_its_number() {
        let quotas = Quotas::new();
        assert_eq!(quotas.get(0), None);
        for amount in 1..1_000 {
            let number = quotas.number(&quota(amount));
            assert_eq!(u64::from(number), amount - 1);
        }
        for amount in (1..1_000).rev() {
            let number = quotas.number(&quota(amount));
            assert_eq!(u64::from(number), amount - 1);
            assert_eq!(quotas.get(number), Some(&quota(amount)));
        }
        assert_eq!(quotas.get(999), None);
    }
}
