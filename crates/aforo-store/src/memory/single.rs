//! The short way of a single charge.

use aforo_core::{Assessment, Charge, Mode, OnDenial, Outcome, Stored, Verdict};

use super::MemoryStore;
use super::batch::Purpose;
use super::seat::Seat;
use super::slot;
use crate::Clock;

impl<C: Clock> MemoryStore<C> {
    /// Takes a single charge: what a batch of it alone would decide, without a receipt.
    pub fn charge_one(&self, charge: &Charge<'_>) -> Outcome {
        match self.at_once(charge) {
            Some((assessment, taken)) => assessment.outcome(taken),
            None => self.by_batch(charge),
        }
    }

    /// The same when only the verdict is wanted: nothing is computed but that.
    // Always inlined, so that the charge need not be put together in memory.
    #[inline(always)]
    pub fn take(&self, charge: &Charge<'_>) -> Verdict {
        match self.at_once(charge) {
            Some((assessment, _)) => assessment.verdict(),
            // A copy, so that the short way keeps the charge in registers.
            None => self.by_batch(&{ *charge }).verdict,
        }
    }

    /// Decides a charge that has an entry already, and says whether it was taken.
    #[inline(always)]
    fn at_once<'c>(&self, charge: &'c Charge<'_>) -> Option<(Assessment<'c>, bool)> {
        let seat = Seat::of(charge);
        if seat.is_logged() {
            return None;
        }
        // Early, since a look at the clock takes long and finding the entry need not wait for it.
        let now = self.clock.now();
        let table = self.table(seat.kind);
        let number = table.region_of(seat.address);
        let spot = table.spot(number, seat.address.tag)?;
        let held = spot.hold();
        let slot = spot.slot()?;
        let (number, state) = slot::read(slot);
        let before = self.quotas.get(number)?;
        let shape = before.shape();
        let stored = Stored { shape, state };
        let assessment = seat.quota.assess(Some(&stored), now, seat.edges, seat.cost);
        let taken = assessment.fits();
        let denied = !taken && seat.mode == Mode::Enforce;
        if denied && seat.on_denial == OnDenial::Take {
            return None;
        }
        let after = assessment.state(taken);
        self.rewrite_known(slot, (number, before), &state, seat.quota, after);
        drop(held);
        Some((assessment, taken))
    }

    #[cold]
    #[inline(never)]
    fn by_batch(&self, charge: &Charge<'_>) -> Outcome {
        let seats = std::iter::once(Seat::of(charge));
        let charged = self.run(seats, Purpose::Charge);
        match charged.outcomes.first() {
            Some(outcome) => *outcome,
            // A batch answers each charge.
            None => charge
                .terms
                .quota()
                .assess(None, self.clock.now(), None, charge.cost)
                .outcome(false),
        }
    }
}
