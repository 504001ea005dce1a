//! Partition keys, and the order in which they are asked for.

/// How many partition keys there are: 2²⁰.
pub const KEYS: usize = 1 << 20;

/// How many of them are hot.
pub const HOT: usize = 64;

/// How many bytes each has.
pub const LENGTH: usize = 21;

/// All partition keys, one after the other in one buffer, as a caller's bytes come off a socket.
pub fn contiguous() -> Vec<u8> {
    let mut buffer = Vec::with_capacity(KEYS.saturating_mul(LENGTH));
    for place in 0..KEYS {
        buffer.extend_from_slice(&array(place));
    }
    buffer
}

/// One key by its place.
pub fn array(place: usize) -> [u8; LENGTH] {
    let mut key = *b"consumer-000000000000";
    let digits = b"0123456789abcdef";
    let nibbles = key.iter_mut().rev().take(12);
    for (nibble, shift) in nibbles.zip((0u32..).step_by(4)) {
        let digit = place.checked_shr(shift).unwrap_or_default() & 0xf;
        *nibble = digits.get(digit).copied().unwrap_or_default();
    }
    key
}

/// `length` places below `bound`, in an order that no prefetcher guesses: SplitMix64.
pub fn places(bound: usize, length: usize, seed: u64) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let bound = bound.max(1) as u64;
    let place = |random: u64| u32::try_from(random.checked_rem(bound).unwrap_or(0));
    (0..length).map(|_| place(next()).unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_their_place_in_hex() {
        assert_eq!(&array(0), b"consumer-000000000000");
        assert_eq!(&array(0xabcde), b"consumer-0000000abcde");
        let buffer = contiguous();
        assert_eq!(buffer.len(), KEYS * LENGTH);
        assert_eq!(&buffer[LENGTH * 0xf_ffff..], b"consumer-0000000fffff");
    }

    #[test]
    fn places_cover_their_range() {
        let places = places(64, 10_000, 1);
        let mut seen = [0u32; 64];
        places.iter().for_each(|place| seen[*place as usize] += 1);
        assert!(
            seen.iter().all(|count| (80..=250).contains(count)),
            "{seen:?}"
        );
    }
}
