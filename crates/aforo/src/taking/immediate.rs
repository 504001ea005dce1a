//! Putting a request's charges to stores that answer at once.

use aforo_policy::Planned;
use aforo_store::{Answer, Batch, Distinct, Receipt, StoreError};

use super::{Asked, How, Line, Put, Seat, Taking, ask};
use crate::at_once::at_once;
use crate::stores::{Memory, NamedStore};

impl Taking<'_> {
    /// [`Taking::put`] for stores that answer at once.
    pub(crate) fn put_now(&mut self, put: Put<'_>) {
        if put.has_penalty() || put.divides_pool() {
            at_once(self.put(put));
            return;
        }
        for place in self.asked_places(put) {
            if self.take_at(place, put) {
                continue;
            }
            let mut batch = Batch::new();
            if let Some(asked) = self.next(place, put, &mut batch) {
                let answer = ask(asked.store.store(), &batch, put.how, asked.denied);
                let failed = self.hear(&asked, now(answer), put.how);
                self.undo(&asked, failed, put);
            }
        }
        self.tell(put);
    }

    /// [`Taking::put`], without a future where all stores answer at once.
    pub(crate) async fn put_to(&mut self, put: Put<'_>, immediate: bool) {
        match immediate {
            true => self.put_now(put),
            // In a box, since few wait.
            false => Box::pin(self.put(put)).await,
        }
    }

    /// Takes the charges that memory keeps from where they stand; or says that they have to be
    /// put to the store as a batch: where one is named twice, or only to be looked at.
    fn take_at(&mut self, place: usize, put: Put<'_>) -> bool {
        let Some(store) = put.stores.at(place) else {
            return true;
        };
        let Some(memory) = store.memory().filter(|_| put.how == How::Take) else {
            return false;
        };
        if self.is_denied() {
            return false;
        }
        let mut charges = Distinct::new();
        for (line, planned) in self.lines.iter_mut().zip(put.planned) {
            if let Planned::Charge(charge) = &planned.planned
                && put.stores.place_of(planned.policy) == place
            {
                let Some(seat) = charges.push(charge) else {
                    return false;
                };
                line.seat = Some(Seat {
                    store: place,
                    place: seat,
                    shared: false,
                });
            }
        }
        if charges.charges().is_empty() {
            return true;
        }
        if !self.take_from(memory, store, place, &charges) {
            let asked = Asked {
                store,
                place,
                denied: false,
            };
            self.undo(&asked, None, put);
        }
        true
    }

    /// Takes charges from memory. What it says is written where it is kept, since it is large.
    fn take_from(
        &mut self,
        memory: &Memory,
        store: &NamedStore,
        place: usize,
        charges: &Distinct<'_>,
    ) -> bool {
        let lines = &mut *self.lines;
        let note = |seat, outcome| {
            let mut lines = lines.iter_mut();
            if let Some(line) = lines.find(|line| line.stands_at(place, seat)) {
                line.outcome = Some(outcome);
            }
        };
        let take = |receipt: &mut Receipt| memory.charge_each(charges, note, receipt);
        let took = self.receipts.hold(store, place, take);
        if took {
            let stands = |line: &&mut Line| line.seat.is_some_and(|seat| seat.store == place);
            let lines = self.lines.iter_mut().filter(stands);
            lines.for_each(Line::was_taken);
        }
        took
    }

    /// What follows at once from a store's failure or a denial.
    fn undo(&mut self, asked: &Asked<'_>, failed: Option<StoreError>, put: Put<'_>) {
        if failed.is_some() || self.is_denied() && self.has_to_undo(asked) {
            at_once(self.go_on(asked, failed, put));
        }
    }
}

/// The answer of a store that never waits.
fn now<T>(answer: Answer<'_, T>) -> Result<T, StoreError> {
    match answer {
        Answer::Ready(Some(answer)) => answer,
        Answer::Ready(None) => Err(StoreError::Timeout),
        Answer::Waiting(answer) => at_once(answer).unwrap_or(Err(StoreError::Timeout)),
    }
}
