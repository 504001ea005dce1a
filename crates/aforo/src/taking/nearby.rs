//! Requests whose denial is known from a moment ago.

use aforo_core::{Mode, Timestamp};
use aforo_policy::{Counted, Planned, Policy};
use aforo_store::{Batch, Charged};

use super::{Asked, Line, Put, Taking};

impl Taking<'_> {
    /// Whether a shared store denied one of the charges lately. Then no store is asked, and only
    /// the violated policies have numbers.
    pub(super) fn is_denied_nearby(&mut self, put: Put<'_>) -> bool {
        let counts_denials = |line: &Line| line.counts_denials;
        if self.is_blocked() || self.lines.iter().any(counts_denials) {
            return false;
        }
        let mut denied = false;
        for (line, planned) in self.lines.iter_mut().zip(put.planned) {
            let store = put.stores.at(put.stores.place_of(planned.policy));
            if let (Planned::Charge(charge), Some(store)) = (&planned.planned, store)
                && is_remembered(planned.policy)
                && !line.aside
                && let Some(outcome) = store.near_denial(charge)
            {
                line.outcome = Some(outcome);
                denied = true;
                put.observer
                    .near_cache_hit(&store.name, planned.policy.name.as_str());
                put.observer.judged(&line.judged());
            }
        }
        denied
    }

    /// Remembers the denials among the outcomes of a batch that was sent at `sent`. What was taken
    /// makes others wait longer, so that their denials are forgotten.
    pub(super) fn remember(
        &self,
        asked: &Asked<'_>,
        batch: &Batch<'_>,
        charged: &Charged,
        put: Put<'_>,
        sent: Timestamp,
    ) {
        if asked.store.is_immediate() {
            return;
        }
        if charged.taken {
            batch
                .charges()
                .iter()
                .for_each(|charge| asked.store.forget(charge));
            return;
        }
        for (line, planned) in self.lines.iter().zip(put.planned) {
            if let Some(seat) = line.seat.filter(|seat| seat.store == asked.place)
                && is_remembered(planned.policy)
                && let Some(charge) = batch.charges().get(seat.place)
                && let Some(outcome) = charged.outcomes.get(seat.place)
            {
                asked.store.remember(charge, outcome, sent);
            }
        }
    }
}

/// Whether a policy's denials say something about the next request: not where what was taken may
/// be given back at any moment, or where a denial leads to a longer one.
fn is_remembered(policy: &Policy) -> bool {
    policy.counted == Counted::All && policy.mode == Mode::Enforce && policy.penalty.is_none()
}
