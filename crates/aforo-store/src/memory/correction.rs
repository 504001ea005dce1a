//! What is given back, corrected or forgotten.

use aforo_core::{Algorithm, Edges, Mode, OnDenial, Shape, State, Stored, Timestamp};

use super::MemoryStore;
use super::address::Address;
use super::batch::Purpose;
use super::logs::LogKey;
use super::region::Region;
use super::seat::Seat;
use super::slot;
use crate::{Clock, ReceiptLine};

impl<C: Clock> MemoryStore<C> {
    /// Gives back units of a charge, where it was taken.
    pub(super) fn give_back(&self, line: &ReceiptLine, units: u64) {
        if units == 0 {
            return;
        }
        let address = Address::new(line.tag, line.partition);
        if line.taken.shape.algorithm == Algorithm::SlidingLog {
            if let Some(mut shelf) = self.logs.take(self.logs.shelf_of(address)) {
                shelf.give_back(line, units, &self.logs);
            }
            return;
        }
        let now = self.clock.now();
        let table = self.table(line.kind);
        let Some(region) = table.take(table.region_of(address)) else {
            return;
        };
        if let Some(slot) = region
            .find(address.tag)
            .and_then(|place| region.slot(place))
        {
            let (number, state) = slot::read(slot);
            if let Some(state) = self.given_back(line, number, state, units, now) {
                slot::write(slot, number, &state);
            }
            return;
        }
        if line.shared
            && let Some(shared) = table.overflow.find(line.tag, address)
        {
            let _held = shared.take();
            if let Some((number, state)) = shared.read()
                && let Some(state) = self.given_back(line, number, state, units, now)
            {
                shared.write(number, &state);
            }
        }
    }

    fn given_back(
        &self,
        line: &ReceiptLine,
        number: u32,
        state: State,
        units: u64,
        now: Timestamp,
    ) -> Option<State> {
        let shape = self.quotas.get(number)?.shape();
        let stored = Stored { shape, state };
        line.quota.give_back(&stored, &line.taken, units, now)
    }

    /// Corrects a charge to its true cost.
    pub(super) fn correct(&self, line: &ReceiptLine, true_cost: u64) {
        let taken = line.taken.cost;
        match taken.checked_sub(true_cost) {
            Some(over) => self.give_back(line, over),
            None => self.take_more(line, true_cost.saturating_sub(taken)),
        }
    }

    /// Takes more of a charge, up to the capacity: a fixed window while it lasts, anything only
    /// in the shape that the charge was taken in.
    fn take_more(&self, line: &ReceiptLine, units: u64) {
        let address = Address::new(line.tag, line.partition);
        let shape = self.shape_of(line, address);
        if shape.is_some_and(|shape| shape != line.taken.shape) {
            return;
        }
        let edges = match line.quota.algorithm() {
            Algorithm::FixedWindow => match edges_until(line.taken.mark, self.clock.now()) {
                Some(edges) => Some(edges),
                None => return,
            },
            _ => None,
        };
        let seat = Seat {
            policy: line.tag,
            quota: &line.quota,
            kind: line.kind,
            partition: line.partition,
            address,
            cost: units,
            mode: Mode::Enforce,
            on_denial: OnDenial::Take,
            edges: edges.as_ref(),
        };
        self.run(std::iter::once(seat), Purpose::Charge);
    }

    /// The shape in which the counter of a line is kept.
    fn shape_of(&self, line: &ReceiptLine, address: Address) -> Option<Shape> {
        let shelf = self.logs.take(self.logs.shelf_of(address));
        if let Some(shape) = shelf.and_then(|shelf| shelf.shape(&LogKey::of_line(line))) {
            return Some(shape);
        }
        let table = self.table(line.kind);
        let region = table.take(table.region_of(address))?;
        let slot = region.slot(region.find(address.tag)?)?;
        Some(self.quotas.get(slot::read(slot).0)?.shape())
    }

    /// Makes a counter neutral.
    pub(super) fn neutralise(&self, seat: &Seat<'_>) {
        let key = seat.log_key();
        if let Some(mut shelf) = self.logs.take(self.logs.shelf_of(seat.address)) {
            shelf.remove(&key, &self.logs);
        }
        let now = self.clock.now();
        let table = self.table(seat.kind);
        let Some(region) = table.take(table.region_of(seat.address)) else {
            return;
        };
        let place = region.find(seat.address.tag);
        if table.overflow.find(seat.policy, seat.address).is_none() {
            if let Some(place) = place {
                region.remove(place);
                table.leave(&region);
            }
            return;
        }
        self.write_neutral(seat, place, &region, now);
    }

    /// Writes an entry that says nothing, so that the partition key does not start from the
    /// shared entry again. The shared entry stays as it is: it counts others too.
    fn write_neutral(
        &self,
        seat: &Seat<'_>,
        place: Option<usize>,
        region: &Region<'_>,
        now: Timestamp,
    ) {
        let number = self.quotas.number(seat.quota);
        let ticks = now.as_micros().checked_div(seat.quota.unit().micros());
        let state = State {
            last: ticks.unwrap_or_default(),
            ..State::default()
        };
        let table = self.table(seat.kind);
        if let Some(slot) = place.and_then(|place| region.slot(place)) {
            slot::write(slot, number, &state);
        } else if table.make_room(region, &self.quotas, now, &[]) {
            region.insert(seat.address.tag, number, &state);
        }
    }
}

/// Edges around a fixed window of which only the end is known, while it lasts.
fn edges_until(end: u64, now: Timestamp) -> Option<Edges> {
    let after = end.checked_add(1)?;
    (now.as_micros() < end).then_some(())?;
    Edges::new([0, 1, end, after].map(Timestamp::from_micros))
}
