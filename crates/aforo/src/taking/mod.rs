//! Putting a request's charges to their stores.

mod failure;
mod immediate;
mod line;
mod nearby;
mod penalty;
mod receipts;
mod shares;

pub(crate) use line::{Line, Measure, Seat};
use penalty::Lately;
pub(crate) use penalty::push_penalty;
pub(crate) use receipts::{Held, Receipts};

use std::sync::Arc;

use aforo_core::{Charge, Decision, Denial, OnDenial, Outcome, Span, decide};
use aforo_policy::{Planned, PlannedCharge};
use aforo_store::{Answer, Batch, Charged, Store, StoreError};
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

/// Charges on their way to their stores. What the stores say is noted where the request keeps it.
#[derive(Debug)]
pub(crate) struct Taking<'t> {
    /// One line per planned charge, in order.
    pub(crate) lines: &'t mut [Line],
    /// What it takes to give everything back.
    pub(crate) receipts: &'t mut Receipts,
    /// The failure of a store whose policies then deny.
    pub(crate) failure: Option<StoreError>,
}

/// What is put to which stores.
#[derive(Clone, Copy)]
pub(crate) struct Put<'a> {
    pub(crate) stores: &'a Stores,
    pub(crate) planned: &'a [PlannedCharge<'a>],
    pub(crate) how: How,
    pub(crate) observer: &'a dyn Observer,
    /// Whether the same policy and partition key named twice is added up.
    pub(crate) sums: bool,
    /// Whether some policy of the file has a penalty.
    pub(crate) penalises: bool,
    /// Whether some team's pool of the file is divided.
    pub(crate) divides_pools: bool,
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

/// A store that was asked.
struct Asked<'a> {
    store: &'a Arc<NamedStore>,
    place: usize,
    /// Whether the request was denied before.
    denied: bool,
}

impl<'t> Taking<'t> {
    /// `lines` are those of the planned charges, nothing else.
    pub(crate) const fn new(lines: &'t mut [Line], receipts: &'t mut Receipts) -> Self {
        Self {
            lines,
            receipts,
            failure: None,
        }
    }

    /// Puts the charges to their stores, one round trip each. Either all enforced ones are taken,
    /// or none.
    pub(crate) async fn put(&mut self, put: Put<'_>) {
        while put.how == How::Take && self.is_denied_nearby(put) {
            if !self.falls_back() {
                self.wait_for_the_nearer();
                return;
            }
        }
        let mut lately = Lately::default();
        if put.has_penalty() {
            lately = Box::pin(self.look_at_penalties(put)).await;
            if self.is_denied() {
                return;
            }
        }
        self.ask_stores(put).await;
        while self.falls_back() {
            self.ask_stores(put).await;
        }
        if self.withheld_denials(put.how) {
            Box::pin(self.count_denials(put)).await;
        }
        self.wait_for_the_nearer();
        if !lately.is_empty() {
            Box::pin(self.penalise(&lately, put)).await;
        }
        self.tell(put);
    }

    /// Asks each store once.
    async fn ask_stores(&mut self, put: Put<'_>) {
        for place in self.asked_places(put) {
            let mut batch = Batch::new();
            if let Some(asked) = self.next(place, put, &mut batch) {
                let sent = asked.store.clock().now();
                let question = |store| ask(store, &batch, put.how, asked.denied);
                let answer = asked.store.ask(put.observer, question).await;
                if let Ok(charged) = &answer {
                    self.remember(&asked, &batch, charged, put, sent);
                }
                let failed = self.hear(&asked, answer, put.how);
                self.go_on(&asked, failed, put).await;
            }
        }
    }

    /// The places of the stores to ask: none when a policy blocks what is to be taken.
    fn asked_places(&self, put: Put<'_>) -> std::ops::Range<usize> {
        let takes_nothing = put.how == How::Take && self.is_blocked();
        0..if takes_nothing { 0 } else { put.stores.len() }
    }

    /// Which store at a place is to be asked for the batch, if it keeps any of the charges.
    fn next<'a>(&mut self, place: usize, put: Put<'a>, batch: &mut Batch<'a>) -> Option<Asked<'a>> {
        let store = put.stores.at(place)?;
        self.gather(batch, place, put);
        (!batch.charges().is_empty()).then(|| Asked {
            store,
            place,
            denied: self.is_denied(),
        })
    }

    /// Gathers the charges that one store keeps.
    fn gather<'a>(&mut self, batch: &mut Batch<'a>, place: usize, put: Put<'a>) {
        let may_fall_back = self.may_fall_back();
        for (line, planned) in self.lines.iter_mut().zip(put.planned) {
            if let Planned::Charge(charge) = &planned.planned
                && put.stores.place_of(planned.policy) == place
                && !line.aside
            {
                let before = batch.charges().len();
                let charge = match may_fall_back {
                    // What denies now may not deny the request.
                    true => Charge {
                        on_denial: OnDenial::Keep,
                        ..*charge
                    },
                    false => *charge,
                };
                let seat = match put.sums {
                    true => batch.push_summed(charge),
                    false => batch.push(charge),
                };
                line.seat = Some(Seat {
                    store: place,
                    place: seat,
                    shared: seat < before,
                });
            }
        }
    }

    /// Notes what a store answered; its failure is left to whoever asked.
    fn hear(
        &mut self,
        asked: &Asked<'_>,
        answer: Result<Charged, StoreError>,
        how: How,
    ) -> Option<StoreError> {
        match answer {
            Ok(charged) => {
                self.record(asked, charged, how);
                None
            }
            Err(error) => Some(error),
        }
    }

    /// Notes the outcomes, and keeps the receipt of what was taken.
    fn record(&mut self, asked: &Asked<'_>, charged: Charged, how: How) {
        let fits = how == How::Take && charged.taken;
        let took = fits && !asked.denied;
        self.note(asked, &charged.outcomes, fits);
        if fits && asked.denied {
            // What was only looked at says what a charge would leave.
            untaken(self.lines, asked.place);
        }
        if took {
            let held = Held::of(asked.store, asked.place, charged.receipt);
            self.receipts.push(held);
        }
    }

    /// Notes the outcomes of one store's charges.
    fn note(&mut self, asked: &Asked<'_>, outcomes: &[Outcome], took: bool) {
        for line in &mut *self.lines {
            if let Some(seat) = line.seat.filter(|seat| seat.store == asked.place) {
                line.outcome = outcomes.get(seat.place).copied();
                if took {
                    line.was_taken();
                }
            }
        }
    }

    /// What follows from a store's failure or a denial.
    async fn go_on(&mut self, asked: &Asked<'_>, failed: Option<StoreError>, put: Put<'_>) {
        let (store, place) = (asked.store, asked.place);
        if let Some(error) = failed {
            self.without(store, place, put.planned, put.how, error)
                .await;
        }
        if put.how == How::Take && self.is_denied() {
            if asked.denied && self.may_fall_back() {
                return;
            }
            if asked.denied {
                self.take_denials(asked, put).await;
            } else {
                self.give_back(put.stores, put.observer).await;
            }
        }
    }

    /// Whether a denial leaves something to do: what was taken, or denials to count.
    fn has_to_undo(&self, asked: &Asked<'_>) -> bool {
        asked.denied || !self.receipts.is_empty()
    }

    /// Gives back what earlier stores took, but for what counts denials.
    async fn give_back(&mut self, stores: &Stores, observer: &dyn Observer) {
        let counts_denials = !self.may_fall_back();
        let lines = &mut *self.lines;
        for mut held in self.receipts.take_all() {
            let place = held.store_place;
            held.receipt.retain(|seat| {
                let stays = |line: &Line| line.stands_at(place, seat) && line.counts_denials;
                !(counts_denials && lines.iter().any(stays))
            });
            held.refund(stores, observer).await;
            untaken(lines, place);
        }
    }

    /// A store that is asked after another one denied still takes what counts denials.
    async fn take_denials(&self, asked: &Asked<'_>, put: Put<'_>) {
        let mut batch = Batch::new();
        for (line, planned) in self.lines.iter().zip(put.planned) {
            if let Planned::Charge(charge) = &planned.planned
                && line.counts_denials
                && line.seat.is_some_and(|seat| seat.store == asked.place)
            {
                batch.push(*charge);
            }
        }
        if !batch.charges().is_empty() {
            // A denial that could not be counted is noted where the store was asked.
            let charging = asked.store.ask(put.observer, |store| store.charge(&batch));
            let _ = charging.await;
        }
    }

    /// Tells the observer of every policy.
    fn tell(&self, put: Put<'_>) {
        if put.how == How::Take {
            let taking_part = self.lines.iter().filter(|line| !line.aside);
            let judged = taking_part.map(Line::judged);
            judged.for_each(|judged| put.observer.judged(&judged));
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
                .filter(|line| !line.aside)
                .filter_map(|line| line.outcome.as_ref().map(|outcome| (line.mode, outcome))),
        )
    }
}

/// What a denied request leaves of a store's policies, but for what counts denials.
fn untaken(lines: &mut [Line], place: usize) {
    lines
        .iter_mut()
        .filter(|line| line.seat.is_some_and(|seat| seat.store == place))
        .filter(|line| !line.counts_denials)
        .for_each(|line| line.corrected(0));
}

/// Puts a batch to its store; after a denial the store is only asked how it stands.
fn ask<'a>(
    store: &'a dyn Store,
    batch: &'a Batch<'_>,
    how: How,
    denied: bool,
) -> Answer<'a, Charged> {
    match how {
        How::Take if !denied => store.charge(batch),
        _ => store.peek(batch),
    }
}
