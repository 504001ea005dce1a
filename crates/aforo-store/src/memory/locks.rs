//! The locks of a batch.

use std::sync::MutexGuard;

use aforo_core::PrincipalKind;
use smallvec::SmallVec;

use super::MemoryStore;
use super::lock::Held;
use super::logs::Shelf;
use super::overflow::Place;
use super::region::Region;
use super::seat::Seat;

/// A region: in this order they are taken.
type RegionId = (PrincipalKind, usize);

/// What a batch holds while it is decided: first the shelves of logs, then the regions of the
/// tables, last the shared entries, each kind in ascending order and each lock once. So two
/// batches never wait for each other.
pub(super) struct Locks<'t> {
    shelves: SmallVec<[(usize, MutexGuard<'t, Shelf>); 2]>,
    regions: SmallVec<[(RegionId, Region<'t>); 4]>,
    shared: SmallVec<[Held<'t>; 4]>,
}

impl<C> MemoryStore<C> {
    /// Takes the shelves and regions that the charges are counted in.
    pub(super) fn take_locks(&self, seats: &[Seat<'_>]) -> Locks<'_> {
        let mut ids: SmallVec<[RegionId; 4]> = SmallVec::new();
        for seat in seats {
            ids.push((seat.kind, self.table(seat.kind).region_of(seat.address)));
        }
        ids.sort_unstable();
        ids.dedup();
        let mut shelves: SmallVec<[usize; 2]> = seats
            .iter()
            .filter_map(|seat| self.logs.shelf_for(seat))
            .collect();
        shelves.sort_unstable();
        shelves.dedup();
        let shelves = shelves
            .into_iter()
            .filter_map(|shelf| Some((shelf, self.logs.take(shelf)?)));
        let shelves = shelves.collect();
        let regions = ids
            .into_iter()
            .filter_map(|id| Some((id, self.table(id.0).take(id.1)?)));
        Locks {
            shelves,
            regions: regions.collect(),
            shared: SmallVec::new(),
        }
    }
}

impl<'t> Locks<'t> {
    /// The region of a charge.
    pub(super) fn region<C>(&self, store: &MemoryStore<C>, seat: &Seat<'_>) -> Option<&Region<'t>> {
        let id = (seat.kind, store.table(seat.kind).region_of(seat.address));
        let found = self.regions.iter().find(|(held, _)| *held == id);
        found.map(|(_, region)| region)
    }

    /// The shelf of a charge, if it needs one.
    pub(super) fn shelf<C>(&self, store: &MemoryStore<C>, seat: &Seat<'_>) -> Option<&Shelf> {
        let id = store.logs.shelf_of(seat.address);
        let found = self.shelves.iter().find(|(held, _)| *held == id);
        found.map(|(_, shelf)| &**shelf)
    }

    /// The same, to write.
    pub(super) fn shelf_mut<C>(
        &mut self,
        store: &MemoryStore<C>,
        seat: &Seat<'_>,
    ) -> Option<&mut Shelf> {
        let id = store.logs.shelf_of(seat.address);
        let found = self.shelves.iter_mut().find(|(held, _)| *held == id);
        found.map(|(_, shelf)| &mut **shelf)
    }

    /// Takes the locks of shared entries.
    pub(super) fn take_shared(&mut self, mut places: SmallVec<[(PrincipalKind, Place<'t>); 4]>) {
        places.sort_unstable_by_key(|(kind, place)| (*kind, place.order()));
        places.dedup_by_key(|(kind, place)| (*kind, place.order()));
        let held = places.into_iter().filter_map(|(_, place)| place.take());
        self.shared.extend(held);
    }
}
