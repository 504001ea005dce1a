//! What is given back or corrected.

use aforo_core::{Algorithm, Edges};

use super::counter::Counter;
use super::entry::{Change, Take};
use super::{Address, Ledger};
use crate::ReceiptLine;

impl Ledger {
    /// Corrects a line whose counter was loaded to its true cost.
    pub(crate) fn correct(&mut self, line: &ReceiptLine, true_cost: u64) {
        let taken = line.taken.cost;
        match taken.checked_sub(true_cost) {
            Some(0) => {}
            Some(units) => {
                let (quota, taken) = (line.quota, line.taken);
                self.give_back(Address::of_line(line), &Take { quota, taken }, units);
            }
            None => self.take_more(line, true_cost.saturating_sub(taken)),
        }
    }

    /// Gives back units of what was taken.
    pub(crate) fn give_back(&mut self, address: Address, take: &Take, units: u64) {
        let now = self.now;
        let Some(place) = self.place(address) else {
            return;
        };
        if let Some(entry) = self.entries.get_mut(place)
            && let Some(counter) = entry.counter.as_mut()
            && counter.give_back(&take.quota, &take.taken, units, now)
        {
            entry.change = Change::Write;
            entry.quota = Some(take.quota);
        }
    }

    /// Takes more for a line, up to the capacity: a fixed window while it lasts, anything only in
    /// the shape that the charge was taken in.
    fn take_more(&mut self, line: &ReceiptLine, units: u64) {
        let (now, quota) = (self.now, &line.quota);
        let address = Address::of_line(line);
        let counter = self.entry(address).and_then(|entry| entry.counter.as_ref());
        let shape = counter.and_then(Counter::shape);
        if shape.is_some_and(|shape| shape != line.taken.shape) {
            return;
        }
        let mut edges = None;
        if quota.algorithm() == Algorithm::FixedWindow {
            if now.as_micros() >= line.taken.mark {
                return;
            }
            edges = edges_until(line.taken.mark);
        }
        let assess = |units| Counter::assess(counter, quota, now, edges.as_ref(), units);
        let assessed = assess(units);
        let assessed = match assessed.fits() {
            true => assessed,
            false => assess(assessed.outcome(false).remaining.min(units)),
        };
        let outcome = assessed.outcome(true);
        if let Some(entry) = self.entry_mut(address) {
            entry.apply(quota, &assessed, true);
            entry.keep(quota, &outcome);
        }
    }
}

/// Edges around a fixed window of which only the end is known.
fn edges_until(end: u64) -> Option<Edges> {
    let edges = [0, 1, end, end.saturating_add(1)];
    Edges::new(edges.map(aforo_core::Timestamp::from_micros))
}
