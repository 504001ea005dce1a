//! Aforo's memory store over one contiguous buffer of partition keys.

use aforo_core::{Charge, HashKey, PolicyName, Principal, Quota, Terms, Verdict};
use aforo_store::MemoryStore;

use crate::Failure;
use crate::governed::{BURST, PERIOD};
use crate::keys::{KEYS, LENGTH};

/// The store, with the bytes that callers would send.
pub struct Stored {
    store: MemoryStore,
    terms: Terms,
    hash: HashKey,
    buffer: Vec<u8>,
}

impl Stored {
    /// A store of the same quota as [`crate::governed::Governed`].
    ///
    /// # Errors
    /// When the quota is refused.
    pub fn new(buffer: Vec<u8>) -> Result<Self, Failure> {
        let window = PERIOD.saturating_mul(BURST);
        let quota = Quota::token_bucket(BURST.into(), window.into(), None)
            .map_err(|refused| format!("the quota is refused: {refused:?}"))?;
        Ok(Self {
            store: MemoryStore::builder().max_keys(KEYS).build(),
            terms: Terms::new(PolicyName::new("bench")?, quota),
            hash: HashKey::new([0x6c62_272e_07bb_0142, 0x62b8_2175_6295_c58d]),
            buffer,
        })
    }

    /// Takes one unit for the key at `place`; whether it was there.
    #[inline]
    pub fn charge(&self, place: u32) -> bool {
        let charge = self.charged(place);
        charge.is_some_and(|charge| self.store.take(&charge) == Verdict::Allowed)
    }

    /// The same, with remaining, wait and reset: how many units are left.
    #[inline]
    pub fn charge_for_numbers(&self, place: u32) -> Option<u64> {
        let outcome = self.store.charge_one(&self.charged(place)?);
        outcome.is_allowed().then_some(outcome.remaining)
    }

    #[inline(always)]
    fn charged(&self, place: u32) -> Option<Charge<'_>> {
        let start = (place as usize).saturating_mul(LENGTH);
        let key = self.buffer.get(start..start.saturating_add(LENGTH))?;
        let hash = self.hash.hash(key);
        Some(Charge::new(&self.terms, Principal::known(hash), 1))
    }
}
