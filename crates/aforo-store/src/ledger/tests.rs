//! The ledger passes the suite of stores, its counters kept as bytes in a map.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aforo_core::{Algorithm, PolicyName, Principal, Shape, State, Stored, Terms, Timestamp, Unit};
use proptest::prelude::*;

use super::*;
use crate::conformance;
use crate::{Answer, Charged, Clock, ManualClock, Store};

/// A store that is a map of bytes.
struct Bytes {
    clock: ManualClock,
    kept: Mutex<HashMap<Address, (Vec<u8>, Timestamp)>>,
}

impl Bytes {
    fn new(clock: ManualClock) -> Self {
        let kept = Mutex::default();
        Self { clock, kept }
    }

    fn change<T>(&self, addresses: &[Address], decide: impl FnOnce(&mut Ledger) -> T) -> T {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let load = |address: &Address| match kept.get(address) {
            None => Entry::empty(*address),
            Some((bytes, neutral)) => {
                let counter = unpack(&mut bytes.as_slice()).unwrap();
                Entry::loaded(*address, counter, *neutral)
            }
        };
        let mut ledger = Ledger::new(self.clock.now(), addresses.iter().map(load).collect());
        let answer = decide(&mut ledger);
        for entry in ledger.entries() {
            match (entry.change, &entry.counter) {
                (Change::Write, Some(counter)) => {
                    let mut bytes = Vec::new();
                    pack(counter, &mut bytes);
                    kept.insert(entry.address, (bytes, entry.neutral));
                }
                (Change::Remove, _) => drop(kept.remove(&entry.address)),
                _ => {}
            }
        }
        answer
    }
}

impl Store for Bytes {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        let addresses = Address::of_batch(batch);
        Answer::ready(self.change(&addresses, |ledger| ledger.charge(batch)))
    }

    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        let addresses = Address::of_batch(batch);
        Answer::ready(self.change(&addresses, |ledger| ledger.clone().peek(batch)))
    }

    fn refund(&self, receipt: Receipt) -> Answer<'_, ()> {
        let addresses = Address::of_receipt(&receipt);
        self.change(&addresses, |ledger| {
            for line in receipt.lines() {
                ledger.correct(line, 0);
            }
        });
        Answer::ready(())
    }

    fn settle<'a>(
        &'a self,
        receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()> {
        let addresses = Address::of_receipt(&receipt);
        self.change(&addresses, |ledger| {
            for line in receipt.lines() {
                ledger.correct(line, true_cost(line.place));
            }
        });
        Answer::ready(())
    }

    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()> {
        let addresses = Address::of_batch(batch);
        self.change(&addresses, |ledger| ledger.reset(batch));
        Answer::ready(())
    }
}

crate::conformance_suite! {
    block_on: conformance::block_on,
    make: async |clock| Bytes::new(clock),
}

/// A counter whose quota became slower says something for longer, though the charge that finds
/// out is denied and takes nothing.
#[test]
fn a_counter_is_kept_as_long_as_its_present_quota_needs_it() {
    let start = Timestamp::from_seconds(1_699_999_200);
    let store = Bytes::new(ManualClock::at(start));
    let hash = aforo_core::HashKey::new([1, 2]).hash(b"caller");
    let minute = aforo_core::Span::from_seconds(60);
    for (amount, kept) in [(7, 60), (1, 420)] {
        let quota = aforo_core::Quota::token_bucket(amount, minute, Some(7)).unwrap();
        let terms = Terms::new(PolicyName::new("policy").unwrap(), quota);
        let mut batch = Batch::new();
        batch.push(Charge::new(&terms, Principal::known(hash), 7));
        let charged = conformance::block_on(store.charge(&batch)).unwrap();
        assert_eq!(charged.taken, amount == 7);
        let all = store.kept.lock().unwrap();
        let neutral: Vec<Timestamp> = all.values().map(|(_, neutral)| *neutral).collect();
        assert_eq!(neutral, [start.plus(aforo_core::Span::from_seconds(kept))]);
    }
}

fn bytes_of(counter: &Counter) -> Vec<u8> {
    let mut bytes = Vec::new();
    pack(counter, &mut bytes);
    bytes
}

#[test]
fn a_state_is_written_as_documented() {
    let shape = Shape {
        algorithm: Algorithm::FixedWindow,
        unit: Unit::Second,
        window: 300,
    };
    let state = State {
        last: 127,
        first: 128,
        second: (1 << 53) - 1,
    };
    let written = bytes_of(&Counter::State(Stored { shape, state }));
    let end = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];
    let expected = [&[2, 2, 0xac, 0x02, 0x7f, 0x80, 0x01][..], &end].concat();
    assert_eq!(written, expected);
}

#[test]
fn bytes_that_are_no_counter_are_refused() {
    for garbage in [
        &b""[..],
        b"abc",
        &[5, 0, 0, 0, 0, 0],
        &[0, 3, 0, 0, 0, 0],
        &[0, 0, 1, 1, 1],
        // A level of 2⁵³.
        &[
            0, 0, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10, 0,
        ],
        // A log of 10,001 entries, and one that ends before its last.
        &[4, 0, 1, 0, 0x91, 0x4e],
        &[4, 0, 1, 0, 2, 1, 1, 1],
    ] {
        assert_eq!(unpack(&mut &*garbage).err(), Some(Garbage), "{garbage:?}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        let _ = unpack(&mut bytes.as_slice());
    }

    #[test]
    fn a_number_comes_back(number: u64) {
        let mut bytes = Vec::new();
        pack_number(number, &mut bytes);
        prop_assert_eq!(unpack_number(&mut bytes.as_slice()), Ok(number));
    }
}
