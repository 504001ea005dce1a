//! Where an entry lives.

use aforo_core::PartitionHash;

/// What an entry is found by: one policy and one partition key. The partition hash is keyed, so
/// nobody without the secret can choose either half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// Picks the region.
    pub(super) region: u64,
    /// Picks the home within the region and tells its entries apart; never zero.
    pub(super) tag: u64,
}

impl Address {
    /// The address of a policy's counter for a partition key.
    #[inline]
    pub(super) fn new(policy: u64, partition: PartitionHash) -> Self {
        let high = (partition.0 >> 64) as u64;
        let low = partition.0 as u64;
        Self {
            region: low ^ policy,
            tag: (high ^ policy.rotate_left(32)).max(1),
        }
    }
}

/// One of `count` places, spread evenly (multiply-shift; any count).
#[inline]
pub(super) fn spread(hash: u64, count: usize) -> usize {
    (u128::from(hash).wrapping_mul(count as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_count_apart() {
        let partition = PartitionHash(u128::MAX);
        assert_ne!(Address::new(1, partition), Address::new(2, partition));
        assert_eq!(Address::new(0, PartitionHash(0)).tag, 1);
    }

    #[test]
    fn places_are_spread_over_any_count() {
        assert_eq!(spread(u64::MAX, 10), 9);
        assert_eq!(spread(0, 10), 0);
        assert_eq!(spread(1 << 63, 10), 5);
    }
}
