//! What a batch does to the counters it names.

use aforo_core::{Charge, Mode, OnDenial, Outcome};
use smallvec::SmallVec;

use super::counter::{Assessed, Counter};
use super::entry::Change;
use super::{Address, Ledger};
use crate::{Batch, Charged, Receipt, ReceiptLine};

impl Ledger {
    /// Takes every enforced charge of the batch or none.
    pub(crate) fn charge(&mut self, batch: &Batch<'_>) -> Charged {
        let charges = batch.charges();
        let assessed: SmallVec<[Assessed<'_>; 4]> = charges
            .iter()
            .map(|charge| self.assess(charge, charge.cost))
            .collect();
        let taken = charges
            .iter()
            .zip(&assessed)
            .all(|(charge, assessed)| charge.mode == Mode::Shadow || assessed.fits());
        let mut charged = Charged {
            taken,
            outcomes: SmallVec::new(),
            receipt: Receipt::empty(),
        };
        for (place, (charge, assessed)) in charges.iter().zip(&assessed).enumerate() {
            self.conclude(place, charge, assessed, &mut charged);
        }
        charged
    }

    /// What a charge would answer.
    pub(crate) fn peek(mut self, batch: &Batch<'_>) -> Charged {
        let mut charged = self.charge(batch);
        charged.receipt = Receipt::empty();
        charged
    }

    /// Makes the counters of these charges neutral.
    pub(crate) fn reset(&mut self, batch: &Batch<'_>) {
        for charge in batch.charges() {
            if let Some(place) = self.place(Address::of(charge))
                && let Some(entry) = self.entries.get_mut(place)
            {
                entry.counter = None;
                entry.change = Change::Remove;
            }
        }
    }

    fn assess<'q>(&self, charge: &Charge<'q>, cost: u64) -> Assessed<'q> {
        let counter = self
            .entry(Address::of(charge))
            .and_then(|entry| entry.counter.as_ref());
        Counter::assess(
            counter,
            charge.terms.quota(),
            self.now,
            charge.edges.as_ref(),
            cost,
        )
    }

    fn conclude(
        &mut self,
        place: usize,
        charge: &Charge<'_>,
        assessed: &Assessed<'_>,
        charged: &mut Charged,
    ) {
        if !charged.taken && charge.on_denial == OnDenial::Take {
            charged.outcomes.push(self.fill(charge, assessed));
            return;
        }
        let takes = charged.taken && assessed.fits();
        let outcome = assessed.outcome(takes);
        charged.outcomes.push(outcome);
        let quota = charge.terms.quota();
        let Some(entry) = self.entry_mut(Address::of(charge)) else {
            return;
        };
        let taken = entry.apply(quota, assessed, takes);
        entry.keep(quota, &outcome);
        if takes {
            if entry.counter.is_none() {
                entry.change = Change::Open;
            }
            charged.receipt.push(ReceiptLine {
                place,
                tag: charge.terms.tag(),
                kind: charge.principal.kind,
                partition: charge.partition,
                quota: *quota,
                taken,
                shared: false,
            });
        }
    }

    /// On a denial, takes what fits: the outcome after it.
    fn fill(&mut self, charge: &Charge<'_>, assessed: &Assessed<'_>) -> Outcome {
        let quota = charge.terms.quota();
        let filling = match assessed.fits() {
            true => *assessed,
            false => {
                let left = assessed.outcome(false).remaining;
                self.assess(charge, charge.cost.min(left))
            }
        };
        if let Some(entry) = self.entry_mut(Address::of(charge)) {
            entry.apply(quota, &filling, true);
        }
        let outcome = match assessed.fits() {
            true => assessed.outcome(true),
            false => self.assess(charge, charge.cost).outcome(false),
        };
        if let Some(entry) = self.entry_mut(Address::of(charge)) {
            entry.keep(quota, &outcome);
        }
        outcome
    }
}
