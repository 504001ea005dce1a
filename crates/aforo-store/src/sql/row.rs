//! A counter as a row.

use aforo_core::{Algorithm, Edges, PartitionHash, PrincipalKind, Quota, Span, Timestamp, Window};

use super::failure::Failure;
use crate::Batch;
use crate::ledger::{Address, Change, Counter, Entry, Ledger, pack, unpack};

/// How long a row is kept after its counter says no more than a new one would: a clock that steps
/// back less than this finds what it counted, and whoever looks up usage what a period ended with.
const KEPT: Span = Span::from_seconds(86_400);
/// Expiries are rounded up to this, so that most writes leave the index on them alone.
const COARSE: u64 = 60_000_000;

/// A row to write.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) key: Key,
    /// Empty where it is not known: what stands there stays.
    pub(super) policy: String,
    pub(super) consumer: Option<String>,
    /// None: only the name is kept.
    pub(super) state: Option<Vec<u8>>,
    pub(super) used: i64,
    pub(super) capacity: i64,
    /// Below zero where it is not known: what stands there stays.
    pub(super) period_start: i64,
    pub(super) period_end: i64,
    pub(super) as_of: i64,
    pub(super) expires: i64,
}

/// The primary key of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) partition: Vec<u8>,
    pub(super) kind: i16,
    pub(super) tag: i64,
}

/// A row as it was read.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) key: Key,
    pub(super) state: Option<Vec<u8>>,
    pub(super) expires: i64,
}

/// The name of a counter, in the clear.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'a> {
    pub(super) address: Address,
    policy: &'a str,
    consumer: Option<&'a str>,
    edges: Option<&'a Edges>,
}

impl<'a> Name<'a> {
    /// The names in a batch.
    pub(super) fn of_batch(batch: &'a Batch<'_>) -> Vec<Self> {
        let charges = batch.charges().iter();
        charges
            .map(|charge| Name {
                address: Address::of(charge),
                policy: charge.terms.name().as_str(),
                consumer: charge.subject,
                edges: charge.edges.as_ref(),
            })
            .collect()
    }
}

impl Key {
    pub(super) fn of(address: Address) -> Self {
        Self {
            partition: address.partition.0.to_be_bytes().to_vec(),
            kind: match address.kind {
                PrincipalKind::Known => 0,
                PrincipalKind::Stranger => 1,
            },
            tag: address.tag as i64,
        }
    }

    pub(super) fn address(&self) -> Option<Address> {
        let partition = self.partition.as_slice().try_into().ok()?;
        Some(Address {
            partition: PartitionHash(u128::from_be_bytes(partition)),
            kind: match self.kind {
                0 => PrincipalKind::Known,
                1 => PrincipalKind::Stranger,
                _ => return None,
            },
            tag: self.tag as u64,
        })
    }
}

impl Found {
    /// The counter in the row, if there is one.
    pub(super) fn entry(&self) -> Result<Option<Entry>, Failure> {
        let nonsense = || Failure::nonsense("a row of the store cannot be read");
        let address = self.key.address().ok_or_else(nonsense)?;
        let Some(state) = &self.state else {
            return Ok(None);
        };
        let counter = unpack(&mut state.as_slice()).map_err(|_| nonsense())?;
        let expires = Timestamp::from_micros(self.expires.unsigned_abs());
        Ok(Some(Entry::loaded(address, counter, expires.minus(KEPT))))
    }
}

impl Row {
    /// The rows to write of a ledger.
    pub(super) fn of_ledger(ledger: &Ledger, names: &[Name<'_>]) -> Vec<Self> {
        let entries = ledger.entries().iter();
        entries
            .filter_map(|entry| {
                let name = names.iter().find(|name| name.address == entry.address);
                match entry.change {
                    Change::Open => Some(Self::open(entry, name, ledger.now())),
                    Change::Write => Self::written(entry, name, ledger.now()),
                    Change::Nothing | Change::Remove => None,
                }
            })
            .collect()
    }

    /// A row that only has a name, to be created and locked.
    pub(super) fn named(address: Address, names: &[Name<'_>]) -> Self {
        let name = names.iter().find(|name| name.address == address);
        Self {
            expires: 0,
            ..Self::open(&Entry::empty(address), name, Timestamp::EPOCH)
        }
    }

    fn open(entry: &Entry, name: Option<&Name<'_>>, now: Timestamp) -> Self {
        Self {
            key: Key::of(entry.address),
            policy: name.map_or("", |name| name.policy).to_owned(),
            consumer: name.and_then(|name| name.consumer).map(str::to_owned),
            state: None,
            used: 0,
            capacity: 0,
            period_start: -1,
            period_end: 0,
            as_of: micros(now),
            expires: expires(now),
        }
    }

    fn written(entry: &Entry, name: Option<&Name<'_>>, now: Timestamp) -> Option<Self> {
        let (counter, quota) = (entry.counter.as_ref()?, entry.quota?);
        let mut state = Vec::new();
        pack(counter, &mut state);
        let edges = name.and_then(|name| name.edges);
        let (start, end) = period(counter, &quota, edges, now);
        Some(Self {
            state: Some(state),
            used: number(counter.used(&quota, now)),
            capacity: number(quota.capacity()),
            period_start: start.map_or(-1, micros),
            period_end: micros(end),
            expires: expires(entry.neutral),
            ..Self::open(entry, name, now)
        })
    }
}

/// The period that a counter counts in: a fixed window, or the time of a window up to now. The
/// start of a calendar window is known from the edges only.
fn period(
    counter: &Counter,
    quota: &Quota,
    edges: Option<&Edges>,
    now: Timestamp,
) -> (Option<Timestamp>, Timestamp) {
    let end = match counter {
        Counter::State(stored) if stored.shape.algorithm == Algorithm::FixedWindow => {
            Timestamp::from_micros(stored.state.second)
        }
        _ => now,
    };
    let start = match quota.window() {
        Window::Length(length) | Window::FirstHit(length) => Some(end.minus(length)),
        Window::Calendar(_) => edges
            .map(|edges| edges.window_at(now))
            .filter(|(_, known)| *known == end)
            .map(|(start, _)| start),
    };
    (start, end)
}

/// When a row may go whose counter is neutral at `neutral`.
fn expires(neutral: Timestamp) -> i64 {
    let exact = neutral.plus(KEPT).as_micros();
    number(exact.div_ceil(COARSE).saturating_mul(COARSE))
}

/// An instant as a column holds it.
pub(super) fn micros(instant: Timestamp) -> i64 {
    number(instant.as_micros())
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
