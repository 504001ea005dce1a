//! Putting a request's charges to their stores.

mod failure;
mod line;
mod receipts;

pub(crate) use line::{Line, Seat};
pub(crate) use receipts::{Held, Receipts};

use std::sync::Arc;

use aforo_core::{Decision, Denial, Span, decide};
use aforo_policy::{Planned, PlannedCharge};
use aforo_store::{Batch, Charged, StoreError};
use smallvec::SmallVec;

use crate::Observer;
use crate::stores::{NamedStore, Stores};

/// The policies of a request.
pub(crate) type Lines = SmallVec<[Line; 4]>;

/// Whether to take, or only to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Take,
    Look,
}

/// What the stores said to the charges of a request.
#[derive(Debug, Default)]
pub(crate) struct Taking {
    /// One line per planned charge, in order.
    pub(crate) lines: Lines,
    /// What it takes to give everything back.
    pub(crate) receipts: Receipts,
    /// The failure of a store whose policies then deny.
    pub(crate) failure: Option<StoreError>,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It passes, after this delay.
    Pass(Span),
    /// A policy is exceeded.
    Exceeded,
    /// Its cost is above a policy's capacity.
    Impossible,
    /// A store failed, and a policy says that this denies.
    StoreFailed,
}

impl Taking {
    /// Puts the charges to their stores, one round trip each. Either all enforced ones are taken,
    /// or none.
    pub(crate) async fn put(
        stores: &Stores,
        planned: &[PlannedCharge<'_>],
        how: How,
        observer: &dyn Observer,
    ) -> Self {
        let mut taking = Self {
            lines: planned.iter().map(Line::of).collect(),
            ..Self::default()
        };
        if !taking.is_blocked() {
            for place in 0..stores.len() {
                if let Some(store) = stores.at(place) {
                    taking
                        .put_to(store, place, stores, planned, how, observer)
                        .await;
                }
            }
        }
        if how == How::Take {
            taking
                .lines
                .iter()
                .for_each(|line| observer.judged(&line.judged()));
        }
        taking
    }

    /// Puts the charges of one store to it.
    async fn put_to(
        &mut self,
        store: &Arc<NamedStore>,
        place: usize,
        stores: &Stores,
        planned: &[PlannedCharge<'_>],
        how: How,
        observer: &dyn Observer,
    ) {
        let batch = self.batch(place, stores, planned);
        if batch.charges().is_empty() {
            return;
        }
        let denied_before = self.is_denied();
        let answer = match how {
            How::Take if !denied_before => store.store.charge(&batch),
            _ => store.store.peek(&batch),
        };
        match answer.await {
            Ok(charged) => {
                store.answered();
                self.record(store, place, charged, how, denied_before);
            }
            Err(error) => {
                store.failed(&error, observer);
                self.without(store, place, planned, how, error).await;
            }
        }
        if how == How::Take && self.is_denied() {
            if denied_before {
                self.take_denials(store, place, planned).await;
            } else {
                self.give_back(observer).await;
            }
        }
    }

    /// The charges that one store keeps.
    fn batch<'a>(
        &mut self,
        place: usize,
        stores: &Stores,
        planned: &[PlannedCharge<'a>],
    ) -> Batch<'a> {
        let mut batch = Batch::new();
        for (line, planned) in self.lines.iter_mut().zip(planned) {
            if let Planned::Charge(charge) = &planned.planned
                && stores.place_of(planned.policy) == place
            {
                let before = batch.charges().len();
                let seat = batch.push(*charge);
                line.seat = Some(Seat {
                    store: place,
                    place: seat,
                    shared: seat < before,
                });
            }
        }
        batch
    }

    /// Notes what a store answered.
    fn record(
        &mut self,
        store: &Arc<NamedStore>,
        place: usize,
        charged: Charged,
        how: How,
        denied_before: bool,
    ) {
        let took = how == How::Take && !denied_before && charged.taken;
        for line in &mut self.lines {
            if let Some(seat) = line.seat.filter(|seat| seat.store == place) {
                line.outcome = charged.outcomes.get(seat.place).copied();
                if took {
                    line.was_taken();
                }
            }
        }
        if took {
            self.receipts.push(Held::of(store, place, charged.receipt));
        }
    }

    /// Gives back what earlier stores took, but for what counts denials.
    async fn give_back(&mut self, observer: &dyn Observer) {
        let lines = &mut self.lines;
        for mut held in self.receipts.take_all() {
            let place = held.store_place;
            held.receipt.retain(|seat| {
                !lines
                    .iter()
                    .any(|line| line.stands_at(place, seat) && line.counts_denials)
            });
            held.refund(observer).await;
            lines
                .iter_mut()
                .filter(|line| line.seat.is_some_and(|seat| seat.store == place))
                .filter(|line| !line.counts_denials)
                .for_each(|line| line.corrected(0));
        }
    }

    /// A store that is asked after another one denied still takes what counts denials.
    async fn take_denials(&self, store: &NamedStore, place: usize, planned: &[PlannedCharge<'_>]) {
        let mut batch = Batch::new();
        for (line, planned) in self.lines.iter().zip(planned) {
            if let Planned::Charge(charge) = &planned.planned
                && line.counts_denials
                && line.seat.is_some_and(|seat| seat.store == place)
            {
                batch.push(*charge);
            }
        }
        if !batch.charges().is_empty()
            && let Err(error) = store.store.charge(&batch).await
        {
            tracing::debug!(store = store.name, %error, "a denial could not be counted");
        }
    }

    /// Whether the request does not go on.
    pub(crate) fn is_denied(&self) -> bool {
        self.failure.is_some() || self.lines.iter().any(Line::is_violated)
    }

    /// Whether an enforced policy has quota 0: no store is asked.
    fn is_blocked(&self) -> bool {
        self.lines
            .iter()
            .any(|line| line.blocks() && line.is_violated())
    }

    /// What becomes of the request.
    pub(crate) fn judgement(&self) -> Judgement {
        if self.is_blocked() {
            return Judgement::Exceeded;
        }
        match self.decision() {
            Decision::Deny(Denial::Impossible) => Judgement::Impossible,
            Decision::Deny(Denial::Later(_)) => Judgement::Exceeded,
            _ if self.failure.is_some() => Judgement::StoreFailed,
            Decision::Allow => Judgement::Pass(Span::ZERO),
            Decision::Delay(delay) => Judgement::Pass(delay),
        }
    }

    /// The decision over the outcomes.
    pub(crate) fn decision(&self) -> Decision {
        if self.is_blocked() {
            return Decision::Deny(Denial::Impossible);
        }
        decide(
            self.lines
                .iter()
                .filter_map(|line| line.outcome.as_ref().map(|outcome| (line.mode, outcome))),
        )
    }
}
