//! Counters as loaded from a store that only keeps them: what a batch, a refund, a settlement or
//! a reset does to them is decided here, in Rust, and the store writes what changed.

mod charge;
mod correction;
mod counter;
mod entry;
mod packed;
#[cfg(test)]
mod tests;

use aforo_core::{Charge, PartitionHash, PrincipalKind, Timestamp};

pub(crate) use counter::Counter;
#[cfg(feature = "memcached")]
pub(crate) use entry::Take;
pub(crate) use entry::{Change, Entry};
#[cfg(feature = "memcached")]
pub(crate) use packed::unpack_byte;
#[cfg(any(test, feature = "memcached"))]
pub(crate) use packed::{Garbage, pack_number, unpack_number};
pub(crate) use packed::{pack, unpack};

use crate::{Batch, Receipt, ReceiptLine};

/// What a counter is found by, in the order in which stores lock counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Address {
    /// The partition key.
    pub(crate) partition: PartitionHash,
    /// The kind of its principal.
    pub(crate) kind: PrincipalKind,
    /// The tag of the policy's name.
    pub(crate) tag: u64,
}

/// The counters of one call at one time.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    now: Timestamp,
    /// By address, each once.
    entries: Vec<Entry>,
}

impl Address {
    /// The address of a charge.
    pub(crate) fn of(charge: &Charge<'_>) -> Self {
        Self {
            partition: charge.partition,
            kind: charge.principal.kind,
            tag: charge.terms.tag(),
        }
    }

    /// The address of a receipt's line.
    pub(crate) fn of_line(line: &ReceiptLine) -> Self {
        Self {
            partition: line.partition,
            kind: line.kind,
            tag: line.tag,
        }
    }

    /// The addresses of a batch, in order.
    pub(crate) fn of_batch(batch: &Batch<'_>) -> Vec<Self> {
        sorted(batch.charges().iter().map(Self::of))
    }

    /// The addresses of a receipt, in order.
    pub(crate) fn of_receipt(receipt: &Receipt) -> Vec<Self> {
        sorted(receipt.lines().iter().map(Self::of_line))
    }
}

fn sorted(addresses: impl Iterator<Item = Address>) -> Vec<Address> {
    let mut addresses: Vec<_> = addresses.collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

impl Ledger {
    /// A ledger of these counters at `now`, in any order.
    pub(crate) fn new(now: Timestamp, mut entries: Vec<Entry>) -> Self {
        entries.sort_unstable_by_key(|entry| entry.address);
        Self { now, entries }
    }

    /// The time it is kept at.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// Its counters, by address.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether there is anything to write.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn is_changed(&self) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.change != Change::Nothing)
    }

    fn entry(&self, address: Address) -> Option<&Entry> {
        let place = self.place(address)?;
        self.entries.get(place)
    }

    /// The entry of an address, made when it was not loaded.
    fn entry_mut(&mut self, address: Address) -> Option<&mut Entry> {
        let place = match self.place(address) {
            Some(place) => place,
            None => {
                let place = self
                    .entries
                    .partition_point(|entry| entry.address < address);
                self.entries.insert(place, Entry::empty(address));
                place
            }
        };
        self.entries.get_mut(place)
    }

    fn place(&self, address: Address) -> Option<usize> {
        self.entries
            .binary_search_by_key(&address, |entry| entry.address)
            .ok()
    }
}
