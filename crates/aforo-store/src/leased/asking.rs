//! Asking the store behind the leases.

use std::sync::atomic::Ordering;

use aforo_core::{Charge, Timestamp};
use smallvec::SmallVec;

use super::LeasedStore;
use super::lease::{LIFE, Lease};
use super::table::{Key, Table, key_of};
use crate::{Batch, Charged, StoreError};

/// Keys whose leases are under way, until this is dropped.
struct UnderWay<'t> {
    table: &'t Table,
    keys: SmallVec<[Key; 4]>,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.keys.iter().for_each(|key| self.table.asked(*key));
    }
}

impl LeasedStore {
    /// Asks the store for a batch that the leases do not cover.
    pub(super) async fn ask(&self, batch: &Batch<'_>) -> Result<Charged, StoreError> {
        let now = self.clock.now();
        let mut ended = Vec::new();
        let mut advances = SmallVec::<[u64; 4]>::new();
        let mut under_way = UnderWay {
            table: &self.table,
            keys: SmallVec::new(),
        };
        for charge in batch.charges() {
            let mut plan = match super::lease::can_be_leased(charge) {
                true => self.table.plan(charge, now),
                false => super::table::Plan::default(),
            };
            if plan.advance > 0 {
                under_way.keys.push(key_of(charge));
            }
            advances.push(plan.advance);
            ended.append(&mut plan.ended);
        }
        self.give_back(ended).await;
        if advances.iter().any(|advance| *advance > 0) {
            let sent = self.clock.now();
            let charged = self.inner.charge(&ahead(batch, &advances)).await?;
            if charged.taken {
                return Ok(self.keep(batch, &advances, charged, sent));
            }
        }
        let charged = self.inner.charge(batch).await?;
        if charged.taken {
            // Only the advance did not fit.
            let cool_until = self.clock.now().plus(LIFE);
            for key in &under_way.keys {
                self.table.end(*key, cool_until);
            }
            return Ok(charged);
        }
        // What this instance holds itself must not deny.
        let held = self.end(batch);
        if held.is_empty() {
            return Ok(charged);
        }
        self.give_back(held).await;
        self.inner.charge(batch).await
    }

    /// Ends the leases of a batch's keys; those that have something to be given back.
    pub(super) fn end(&self, batch: &Batch<'_>) -> Vec<Lease> {
        let cool_until = self.clock.now().plus(LIFE);
        let keys = batch.charges().iter().map(key_of);
        let leases = keys.filter_map(|key| self.table.end(key, cool_until));
        leases.filter(|lease| lease.is_over_taken()).collect()
    }

    /// Gives back what was not spent. What the store does not take back stays taken.
    pub(super) async fn give_back(&self, leases: Vec<Lease>) {
        for lease in leases.into_iter().filter(|lease| lease.is_over_taken()) {
            let spent = lease.spent;
            let units = lease.line.taken.cost.saturating_sub(spent);
            let receipt = lease.into_receipt();
            let taken_back = match spent {
                0 => self.inner.refund(receipt).await,
                _ => self.inner.settle(receipt, &|_| spent).await,
            };
            if taken_back.is_ok() {
                self.given_back.fetch_add(units, Ordering::Relaxed);
            }
        }
    }

    /// Keeps what was taken in advance, and makes the answer one for the batch alone.
    fn keep(
        &self,
        batch: &Batch<'_>,
        advances: &[u64],
        mut charged: Charged,
        sent: Timestamp,
    ) -> Charged {
        let mut spent = SmallVec::<[(usize, u64); 4]>::new();
        for (place, (charge, advance)) in batch.charges().iter().zip(advances).enumerate() {
            if *advance == 0 {
                continue;
            }
            let principal = charged.receipt.principal(place);
            let mut lines = charged.receipt.lines_mut().iter_mut();
            let (Some(line), Some(outcome)) = (
                lines.find(|line| line.place == place),
                charged.outcomes.get_mut(place),
            ) else {
                continue;
            };
            let lease = Lease {
                number: self.table.next_number(),
                line: *line,
                principal,
                spent: charge.cost,
                left: *advance,
                advance: *advance,
                sent,
                until: Lease::end(charge.terms.quota(), outcome, sent),
                outcome: *outcome,
            };
            line.taken.cost = charge.cost;
            *outcome = lease.outcome(sent);
            spent.push((place, lease.number));
            self.table.keep(key_of(charge), lease);
        }
        charged.receipt = charged.receipt.with_leases(spent);
        charged
    }
}

/// The batch with what it takes in advance.
fn ahead<'a>(batch: &Batch<'a>, advances: &[u64]) -> Batch<'a> {
    let mut ahead = Batch::new();
    for (charge, advance) in batch.charges().iter().zip(advances) {
        let cost = charge.cost.saturating_add(*advance);
        ahead.push(Charge { cost, ..*charge });
    }
    ahead
}
