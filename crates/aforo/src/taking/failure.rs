//! What happens to charges whose store failed.

use std::sync::Arc;

use aforo_core::{Charge, Terms};
use aforo_policy::{OnStoreFailure, Planned, PlannedCharge};
use aforo_store::{Batch, Store, StoreError};
use smallvec::SmallVec;

use super::{Held, How, Taking};
use crate::stores::NamedStore;

/// A charge of the failed store, and its line's index.
type Orphan<'a> = (usize, &'a Charge<'a>);

impl Taking<'_> {
    /// Goes on without a store, as each of its policies says: deny, pass uncounted, or count this
    /// instance's share in memory.
    pub(super) async fn without(
        &mut self,
        store: &Arc<NamedStore>,
        place: usize,
        planned: &[PlannedCharge<'_>],
        how: How,
        error: StoreError,
    ) {
        let meanings: SmallVec<[OnStoreFailure; 4]> = self
            .lines
            .iter()
            .zip(planned)
            .filter(|(line, _)| line.seat.is_some_and(|seat| seat.store == place))
            .map(|(_, planned)| store.on_failure(planned.policy))
            .collect();
        if meanings.contains(&OnStoreFailure::Deny) {
            self.failure = Some(error);
            return;
        }
        let orphans: SmallVec<[Orphan<'_>; 4]> = self
            .lines
            .iter()
            .zip(planned)
            .enumerate()
            .filter(|(_, (line, _))| line.seat.is_some_and(|seat| seat.store == place))
            .filter(|(_, (_, planned))| store.on_failure(planned.policy) == OnStoreFailure::Local)
            .filter_map(|(index, (_, planned))| match &planned.planned {
                Planned::Charge(charge) => Some((index, charge)),
                Planned::Blocked => None,
            })
            .collect();
        self.count_locally(store, place, &orphans, how).await;
    }

    /// Counts this instance's share in memory. Its numbers are nobody's quota, so they are not
    /// shown.
    async fn count_locally(
        &mut self,
        store: &Arc<NamedStore>,
        place: usize,
        orphans: &[Orphan<'_>],
        how: How,
    ) {
        let shares: SmallVec<[Terms; 4]> = orphans
            .iter()
            .map(|(_, charge)| {
                let share = charge.terms.quota().share(store.instances());
                Terms::new(charge.terms.name().clone(), share)
            })
            .collect();
        let mut batch = Batch::new();
        for ((index, charge), terms) in orphans.iter().zip(&shares) {
            let before = batch.charges().len();
            let place_in_batch = batch.push(Charge { terms, ..**charge });
            if let Some(seat) = self
                .lines
                .get_mut(*index)
                .and_then(|line| line.seat.as_mut())
            {
                seat.place = place_in_batch;
                seat.shared = place_in_batch < before;
            }
        }
        if batch.charges().is_empty() {
            return;
        }
        let taking = how == How::Take && !self.is_denied();
        let answer = if taking {
            store.fallback().charge(&batch)
        } else {
            store.fallback().peek(&batch)
        };
        let Ok(charged) = answer.await else {
            return;
        };
        for (index, _) in orphans {
            if let Some(line) = self.lines.get_mut(*index) {
                let seat = line.seat.map_or(0, |seat| seat.place);
                line.outcome = charged.outcomes.get(seat).copied();
                line.disclosed = false;
                if taking && charged.taken {
                    line.was_taken();
                }
            }
        }
        if taking && charged.taken {
            self.receipts
                .push(Held::of_fallback(place, charged.receipt));
        }
    }
}
