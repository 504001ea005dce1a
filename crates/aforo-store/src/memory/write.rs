//! What a decided charge leaves behind.

use aforo_core::{Assessment, Log, Outcome, Quota, Shape, State, Stored, Taken, Timestamp};

use super::MemoryStore;
use super::assessed::Assessed;
use super::batch::{Case, Purpose, Standing};
use super::locks::Locks;
use super::slot::{self, Slot};

/// What a receipt says of a charge that was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proof {
    pub(super) taken: Taken,
    /// Whether it was taken from what several partition keys share.
    pub(super) shared: bool,
}

impl Proof {
    pub(super) const fn own(taken: Taken) -> Self {
        Self {
            taken,
            shared: false,
        }
    }
}

impl<C> MemoryStore<C> {
    /// Writes what was assessed: the charge, or what must be kept without it.
    pub(super) fn write(
        &self,
        case: &Case<'_, '_>,
        assessed: &Assessed<'_>,
        taken: bool,
        locks: &mut Locks<'_>,
        now: Timestamp,
    ) -> Proof {
        match assessed {
            Assessed::Entry(assessment) => {
                self.write_entry(case, assessment, taken, locks);
                Proof {
                    taken: assessment.taken(),
                    shared: matches!(case.standing, Standing::Shared),
                }
            }
            Assessed::Log(assessment) => {
                let (seat, carried) = (case.seat, case.stored.as_ref());
                let Some(shelf) = locks.shelf_mut(self, seat) else {
                    return Proof::own(assessment.apply(&mut Log::default(), taken));
                };
                let proof = shelf.write(seat, carried, assessment, taken, now, &self.logs);
                if carried.is_some() && assessment.writes(taken) {
                    self.drop_entry(case, locks);
                }
                proof
            }
        }
    }

    fn write_entry(
        &self,
        case: &Case<'_, '_>,
        assessment: &Assessment<'_>,
        taken: bool,
        locks: &mut Locks<'_>,
    ) {
        let (seat, state) = (case.seat, assessment.state(taken));
        let Some(region) = locks.region(self, seat) else {
            return;
        };
        match (case.standing, state) {
            (Standing::Own, _) => {
                let place = region.find(seat.address.tag);
                if let Some(slot) = place.and_then(|place| region.slot(place)) {
                    self.rewrite(slot, seat.quota, state);
                }
            }
            (Standing::New, Some(state)) => {
                let quota = self.quotas.number(seat.quota);
                region.insert(seat.address.tag, quota, &state);
                if let Some(shelf) = locks.shelf_mut(self, seat) {
                    shelf.remove(&seat.log_key(), &self.logs);
                }
            }
            (Standing::New, None) => self.table(seat.kind).leave(region),
            (Standing::Shared, Some(state)) => {
                self.table(seat.kind).overflow.count();
                if let Some(shared) = case.shared {
                    shared.write(self.quotas.number(seat.quota), &state);
                }
            }
            (Standing::Shared, None) => self.table(seat.kind).overflow.count(),
            (Standing::Log, _) => {}
        }
    }

    /// Writes an entry that is there: the new state, or only the number of a changed quota of
    /// the same shape, by which it will be told whether the state is neutral.
    pub(super) fn rewrite(&self, slot: &Slot, quota: &Quota, state: Option<State>) {
        let (number, held) = slot::read(slot);
        if let Some(before) = self.quotas.get(number) {
            self.rewrite_known(slot, (number, before), &held, quota, state);
        }
    }

    /// The same when what the slot holds was read already.
    #[inline(always)]
    pub(super) fn rewrite_known(
        &self,
        slot: &Slot,
        (number, before): (u32, &Quota),
        held: &State,
        quota: &Quota,
        state: Option<State>,
    ) {
        match (before.forgets_like(quota), state) {
            (true, Some(state)) => slot::write(slot, number, &state),
            (true, None) => {}
            (false, state) => self.renumber(slot, before.shape(), held, quota, state),
        }
    }

    #[cold]
    #[inline(never)]
    fn renumber(
        &self,
        slot: &Slot,
        before: Shape,
        held: &State,
        quota: &Quota,
        state: Option<State>,
    ) {
        match state {
            Some(state) => slot::write(slot, self.quotas.number(quota), &state),
            None if before == quota.shape() => {
                slot::write(slot, self.quotas.number(quota), held);
            }
            None => {}
        }
    }

    fn drop_entry(&self, case: &Case<'_, '_>, locks: &Locks<'_>) {
        let seat = case.seat;
        if let Some(region) = locks.region(self, seat)
            && let Some(place) = region.find(seat.address.tag)
        {
            region.remove(place);
            self.table(seat.kind).leave(region);
        }
    }

    /// On a denial, takes what fits: the outcome after it.
    #[cold]
    pub(super) fn fill(
        &self,
        case: &Case<'_, '_>,
        locks: &mut Locks<'_>,
        now: Timestamp,
        purpose: Purpose,
    ) -> Outcome {
        let (seat, first) = (case.seat, &case.assessed);
        let missed = first.outcome(false);
        let units = match first.fits() {
            true => seat.cost,
            false => seat.cost.min(missed.remaining),
        };
        let filling = match first.fits() {
            true => *first,
            false => self.put(seat, case.stored.as_ref(), locks, now, units),
        };
        let after = match (first.fits(), units) {
            (true, _) => first.outcome(true),
            (false, 0) => missed,
            (false, _) => self.put_after(case, &filling, locks, now),
        };
        if purpose == Purpose::Charge {
            self.write(case, &filling, true, locks, now);
        }
        after
    }

    /// What the charge would find after `filling` was taken.
    fn put_after(
        &self,
        case: &Case<'_, '_>,
        filling: &Assessed<'_>,
        locks: &Locks<'_>,
        now: Timestamp,
    ) -> Outcome {
        let seat = case.seat;
        match filling {
            Assessed::Entry(filling) => {
                let shape = seat.quota.shape();
                let filled = filling.state(true).map(|state| Stored { shape, state });
                let filled = filled.or(case.stored);
                let again = seat
                    .quota
                    .assess(filled.as_ref(), now, seat.edges, seat.cost);
                again.outcome(false)
            }
            Assessed::Log(filling) => {
                let copy = |shelf: &super::logs::Shelf| shelf.copy(seat, case.stored.as_ref(), now);
                let mut log = locks.shelf(self, seat).map(copy).unwrap_or_default();
                filling.apply(&mut log, true);
                seat.quota.assess_log(&log, now, seat.cost).outcome(false)
            }
        }
    }
}
