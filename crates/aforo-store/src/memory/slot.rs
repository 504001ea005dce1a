//! One entry: 32 bytes.

use aforo_core::State;

use super::atomics::{AtomicU64, Ordering};

/// Four words: the tag (zero: empty), then `last`, `first` and `second` in 53 bits each. The 11
/// bits above each hold a third of the quota's number.
pub(super) type Slot = [AtomicU64; 4];

/// Words in a slot.
pub(super) const WORDS: usize = 4;

const NUMBER_BITS: u32 = 53;
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;
const PART_BITS: u32 = 64 - NUMBER_BITS;
/// Where each third stands in the number.
const SHIFTS: [u32; 3] = [0, PART_BITS, 2 * PART_BITS];
const PART: u64 = (1 << PART_BITS) - 1;

/// The tag; zero when the slot is empty.
#[inline]
pub(super) fn tag(slot: &Slot) -> u64 {
    slot[0].load(Ordering::Relaxed)
}

/// The number of the quota that wrote the slot, and the state.
#[inline]
pub(super) fn read(slot: &Slot) -> (u32, State) {
    let [_, last, first, second] = slot.each_ref().map(|word| word.load(Ordering::Relaxed));
    let part = |word: u64, shift: u32| (word >> NUMBER_BITS) << shift;
    let quota = part(last, SHIFTS[0]) | part(first, SHIFTS[1]) | part(second, SHIFTS[2]);
    let state = State {
        last: last & NUMBER,
        first: first & NUMBER,
        second: second & NUMBER,
    };
    // Only numbers of 32 bits are ever written.
    (quota as u32, state)
}

/// Writes a new entry.
pub(super) fn fill(slot: &Slot, tag: u64, quota: u32, state: &State) {
    slot[0].store(tag, Ordering::Relaxed);
    write(slot, quota, state);
}

/// Writes all but the tag.
#[inline]
pub(super) fn write(slot: &Slot, quota: u32, state: &State) {
    let part = |shift: u32| ((u64::from(quota) >> shift) & PART) << NUMBER_BITS;
    slot[1].store(state.last & NUMBER | part(SHIFTS[0]), Ordering::Relaxed);
    slot[2].store(state.first & NUMBER | part(SHIFTS[1]), Ordering::Relaxed);
    slot[3].store(state.second & NUMBER | part(SHIFTS[2]), Ordering::Relaxed);
}

/// Moves what is in `from` to `to`.
pub(super) fn copy(from: &Slot, to: &Slot) {
    for (from, to) in from.iter().zip(to) {
        to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Empties a slot.
pub(super) fn clear(slot: &Slot) {
    for word in slot {
        word.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::atomics::zeroed;
    use super::*;

    #[test]
    fn a_slot_keeps_all_bits_of_its_numbers() {
        let words = zeroed(4);
        let slot = words.first_chunk::<4>().unwrap();
        assert_eq!(tag(slot), 0);
        let state = State {
            last: NUMBER,
            first: 1,
            second: NUMBER - 1,
        };
        for quota in [0, 1, 0x7ff, 0x800, 0x3f_ffff, 0x40_0000, u32::MAX] {
            fill(slot, u64::MAX, quota, &state);
            assert_eq!((tag(slot), read(slot)), (u64::MAX, (quota, state)));
        }
        fill(slot, 7, u32::MAX, &State::default());
        assert_eq!(read(slot), (u32::MAX, State::default()));
        clear(slot);
        assert_eq!((tag(slot), read(slot)), (0, (0, State::default())));
    }
}
