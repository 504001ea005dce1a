//! The value of one partition key: the counters of all its policies.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | version: 1 |
//! | 8 each | the tag of a policy's name, lowest byte first, followed by: |
//! | number | when the counter is neutral, in microseconds since the epoch |
//! | … | the counter, see [`crate::ledger::pack`] |

use aforo_core::{PartitionHash, PrincipalKind, Span, Timestamp};

use crate::ledger::{
    Address, Entry, Garbage, pack, pack_number, unpack, unpack_byte, unpack_number,
};

const VERSION: u8 = 1;
/// How long a value is kept after its counters say no more than new ones would: a clock that steps
/// back less than this, or runs behind by less, finds what was counted.
const KEPT: Span = Span::from_seconds(60);
/// How long a counter that says nothing stays in a value that is kept for another one.
const CARRIED: Span = Span::from_seconds(86_400);

/// Whose value it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) partition: PartitionHash,
    pub(super) kind: PrincipalKind,
}

impl Place {
    pub(super) fn of(address: Address) -> Self {
        Self {
            partition: address.partition,
            kind: address.kind,
        }
    }

    /// Its name in Memcached.
    pub(super) fn key(self, namespace: &str) -> String {
        let kind = match self.kind {
            PrincipalKind::Known => 'k',
            PrincipalKind::Stranger => 's',
        };
        format!("{namespace}:{kind}{:032x}", self.partition.0)
    }
}

/// The counters in a value.
pub(super) fn read(place: Place, mut bytes: &[u8]) -> Result<Vec<Entry>, Garbage> {
    if unpack_byte(&mut bytes)? != VERSION {
        return Err(Garbage);
    }
    let mut entries: Vec<Entry> = Vec::new();
    while !bytes.is_empty() {
        let (tag, rest) = bytes.split_first_chunk::<8>().ok_or(Garbage)?;
        bytes = rest;
        let address = Address {
            partition: place.partition,
            kind: place.kind,
            tag: u64::from_le_bytes(*tag),
        };
        let neutral = Timestamp::from_micros(unpack_number(&mut bytes)?);
        let counter = unpack(&mut bytes)?;
        if entries.iter().any(|entry| entry.address == address) {
            return Err(Garbage);
        }
        entries.push(Entry::loaded(address, counter, neutral));
    }
    Ok(entries)
}

/// The value of these counters at `now`, and for how long it is kept. Counters that have been
/// neutral for a day are left out; nothing when none is left.
pub(super) fn write(entries: &[Entry], now: Timestamp) -> Option<(Vec<u8>, Span)> {
    let mut bytes = vec![VERSION];
    let mut longest = None;
    for entry in entries {
        let Some(counter) = &entry.counter else {
            continue;
        };
        if entry.neutral.plus(CARRIED) <= now && entry.quota.is_none() {
            continue;
        }
        longest = longest.max(Some(entry.neutral.since(now).plus(KEPT)));
        bytes.extend_from_slice(&entry.address.tag.to_le_bytes());
        pack_number(entry.neutral.as_micros(), &mut bytes);
        pack(counter, &mut bytes);
    }
    Some((bytes, longest?))
}
