//! A whole batch: every lock once, in one order; inside only arithmetic.

use aforo_core::{Mode, OnDenial, Stored, Timestamp};
use smallvec::SmallVec;

use super::MemoryStore;
use super::assessed::Assessed;
use super::locks::Locks;
use super::overflow::Place;
use super::region::Region;
use super::seat::Seat;
use super::slot;
use crate::{Charged, Clock, Receipt, ReceiptLine};

/// What a batch is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To take what it decides.
    Charge,
    /// To say what a charge would answer.
    Peek,
}

/// Where a charge is counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Standing {
    /// In an entry of its own.
    Own,
    /// In an entry that is still to be written; there is room for it.
    New,
    /// In a shared entry.
    Shared,
    /// In a log.
    Log,
}

/// A charge with all that was found out about it.
pub(super) struct Case<'s, 't> {
    pub(super) seat: &'s Seat<'s>,
    pub(super) standing: Standing,
    /// The shared entry of its policy, if there is one.
    pub(super) shared: Option<Place<'t>>,
    /// What is stored, in an entry of its own, a shared one, or one of the algorithm before.
    pub(super) stored: Option<Stored>,
    pub(super) assessed: Assessed<'s>,
}

type Found<'t> = (Standing, Option<Place<'t>>);

impl<C: Clock> MemoryStore<C> {
    /// Decides a batch and, for a charge, takes it.
    pub(super) fn run<'a>(
        &self,
        seats: impl Iterator<Item = Seat<'a>>,
        purpose: Purpose,
    ) -> Charged {
        let seats: SmallVec<[Seat<'a>; 4]> = seats.collect();
        let now = self.clock.now();
        let mut locks = self.take_locks(&seats);
        let found = self.find(&seats, &locks, now, purpose);
        let shared = seats.iter().zip(&found);
        let shared = shared.filter_map(|(seat, (_, place))| Some((seat.kind, (*place)?)));
        locks.take_shared(shared.collect());
        let cases: SmallVec<[Case<'_, '_>; 4]> = seats
            .iter()
            .zip(found)
            .map(|(seat, found)| self.assess(seat, found, &locks, now))
            .collect();
        let taken = cases
            .iter()
            .all(|case| case.seat.mode == Mode::Shadow || case.assessed.fits());
        let mut charged = Charged {
            taken,
            outcomes: SmallVec::new(),
            receipt: Receipt::empty(),
        };
        for (place, case) in cases.iter().enumerate() {
            self.conclude(place, case, &mut locks, now, purpose, &mut charged);
        }
        charged
    }
}

impl<C> MemoryStore<C> {
    /// Where each charge is counted. Room for new entries is made here, before anything is read,
    /// since that moves entries.
    fn find<'t>(
        &'t self,
        seats: &[Seat<'_>],
        locks: &Locks<'t>,
        now: Timestamp,
        purpose: Purpose,
    ) -> SmallVec<[Found<'t>; 4]> {
        let find = |seat| self.find_one(seat, seats, locks, now, purpose);
        seats.iter().map(find).collect()
    }

    fn find_one<'t>(
        &'t self,
        seat: &Seat<'_>,
        seats: &[Seat<'_>],
        locks: &Locks<'t>,
        now: Timestamp,
        purpose: Purpose,
    ) -> Found<'t> {
        if seat.is_logged() {
            return (Standing::Log, None);
        }
        let Some(region) = locks.region(self, seat) else {
            return (Standing::Own, None);
        };
        if region.find(seat.address.tag).is_some() {
            return (Standing::Own, None);
        }
        self.find_new(seat, seats, region, now, purpose)
    }

    #[cold]
    fn find_new<'t>(
        &'t self,
        seat: &Seat<'_>,
        seats: &[Seat<'_>],
        region: &Region<'t>,
        now: Timestamp,
        purpose: Purpose,
    ) -> Found<'t> {
        let table = self.table(seat.kind);
        let overflow = &table.overflow;
        let room = purpose == Purpose::Peek || table.make_room(region, &self.quotas, now, seats);
        if room {
            return (Standing::New, overflow.find(seat.policy, seat.address));
        }
        let place = overflow.find_or_make(seat.policy, seat.address);
        (Standing::Shared, Some(place))
    }

    fn assess<'s, 't>(
        &self,
        seat: &'s Seat<'s>,
        (standing, shared): Found<'t>,
        locks: &Locks<'t>,
        now: Timestamp,
    ) -> Case<'s, 't> {
        let stored = match standing {
            Standing::Own | Standing::Log => self.own(seat, locks),
            Standing::New | Standing::Shared => self.other(seat, shared, locks, now),
        };
        let assessed = self.put(seat, stored.as_ref(), locks, now, seat.cost);
        Case {
            seat,
            standing,
            shared,
            stored,
            assessed,
        }
    }

    /// What the charge's own entry holds.
    fn own(&self, seat: &Seat<'_>, locks: &Locks<'_>) -> Option<Stored> {
        let region = locks.region(self, seat)?;
        let slot = region.slot(region.find(seat.address.tag)?)?;
        let (quota, state) = slot::read(slot);
        let shape = self.quotas.get(quota)?.shape();
        Some(Stored { shape, state })
    }

    /// What a charge without an entry starts from: the log that its policy kept before, or the
    /// shared entry until that is neutral.
    fn other(
        &self,
        seat: &Seat<'_>,
        shared: Option<Place<'_>>,
        locks: &Locks<'_>,
        now: Timestamp,
    ) -> Option<Stored> {
        if let Some(shelf) = locks.shelf(self, seat)
            && let Some(stored) = shelf.stored(&seat.log_key())
        {
            return Some(stored);
        }
        let (quota, state) = shared?.read()?;
        let quota = self.quotas.get(quota)?;
        let shape = quota.shape();
        (!quota.is_neutral(&state, now)).then_some(Stored { shape, state })
    }

    /// Puts a charge of `cost` against what is stored.
    pub(super) fn put<'s>(
        &self,
        seat: &Seat<'s>,
        stored: Option<&Stored>,
        locks: &Locks<'_>,
        now: Timestamp,
        cost: u64,
    ) -> Assessed<'s> {
        match locks.shelf(self, seat) {
            Some(shelf) if seat.is_logged() => Assessed::Log(shelf.assess(seat, stored, now, cost)),
            _ => Assessed::Entry(seat.quota.assess(stored, now, seat.edges, cost)),
        }
    }

    fn conclude(
        &self,
        place: usize,
        case: &Case<'_, '_>,
        locks: &mut Locks<'_>,
        now: Timestamp,
        purpose: Purpose,
        charged: &mut Charged,
    ) {
        let seat = case.seat;
        let takes = charged.taken && case.assessed.fits();
        if !charged.taken && seat.on_denial == OnDenial::Take {
            let outcome = self.fill(case, locks, now, purpose);
            charged.outcomes.push(outcome);
            return;
        }
        charged.outcomes.push(case.assessed.outcome(takes));
        if purpose == Purpose::Peek {
            return;
        }
        let proof = self.write(case, &case.assessed, takes, locks, now);
        if takes {
            charged.receipt.push(ReceiptLine {
                place,
                tag: seat.policy,
                kind: seat.kind,
                partition: seat.partition,
                quota: *seat.quota,
                taken: proof.taken,
                shared: proof.shared,
            });
        }
    }
}
