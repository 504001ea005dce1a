//! What it takes to give charges back or to correct them.

use aforo_core::PartitionHash;
use aforo_store::{Answer, Receipt, Store};
use smallvec::SmallVec;

use super::{Line, Lines, Seat};
use crate::Observer;
use crate::stores::{NamedStore, Stores};

/// The receipts of a request, one per store that took something.
#[derive(Debug, Default)]
pub(crate) struct Receipts(SmallVec<[Held; 1]>);

/// A receipt and the store that gave it.
pub(crate) struct Held {
    /// The store's place: whoever holds a receipt holds the stores too.
    pub(crate) store_place: usize,
    /// Whether it can be given back or corrected without waiting.
    immediate: bool,
    /// Whether the store's fallback gave it.
    fallback: bool,
    pub(crate) receipt: Receipt,
}

impl Receipts {
    pub(crate) fn push(&mut self, held: Held) {
        self.0.push(held);
    }

    /// Keeps a receipt of the store at a place when `take` takes something into it; says whether
    /// it did. It is written where it stays, since it is large.
    #[inline]
    pub(crate) fn hold(
        &mut self,
        store: &NamedStore,
        place: usize,
        take: impl FnOnce(&mut Receipt) -> bool,
    ) -> bool {
        self.0.push(Held::of(store, place, Receipt::empty()));
        let took = self
            .0
            .last_mut()
            .is_some_and(|held| take(&mut held.receipt));
        if !took {
            self.0.pop();
        }
        took
    }

    pub(crate) fn take_all(&mut self) -> SmallVec<[Held; 1]> {
        std::mem::take(&mut self.0)
    }

    /// Gives everything back.
    pub(crate) async fn refund(mut self, stores: &Stores, observer: &dyn Observer) {
        for held in self.take_all() {
            held.refund(stores, observer).await;
        }
    }

    /// The partition key of the charge at a seat, if it was taken.
    pub(crate) fn partition_at(&self, seat: Seat) -> Option<PartitionHash> {
        let held = self.0.iter().find(|held| held.store_place == seat.store)?;
        let lines = held.receipt.lines();
        let line = lines.iter().find(|line| line.place == seat.place)?;
        Some(line.partition)
    }

    /// Whether there is nothing to give back.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether everything can be given back or corrected without waiting.
    pub(crate) fn all_immediate(&self) -> bool {
        self.0.iter().all(|held| held.immediate)
    }
}

impl Held {
    #[inline]
    pub(crate) const fn of(store: &NamedStore, store_place: usize, receipt: Receipt) -> Self {
        Self {
            store_place,
            immediate: store.is_immediate(),
            fallback: false,
            receipt,
        }
    }

    /// A receipt of the store's fallback.
    pub(crate) const fn of_fallback(store_place: usize, receipt: Receipt) -> Self {
        Self {
            store_place,
            immediate: true,
            fallback: true,
            receipt,
        }
    }

    /// Asks whoever gave the receipt.
    async fn ask<'a>(
        &self,
        stores: &'a Stores,
        observer: &dyn Observer,
        question: impl FnOnce(&'a dyn Store) -> Answer<'a, ()>,
    ) {
        // A store that does not take it back is noted where it was asked.
        let Some(store) = stores.at(self.store_place) else {
            return;
        };
        let _ = match self.fallback {
            true => question(store.fallback()).await,
            false => store.ask(observer, question).await,
        };
    }

    /// Gives everything on the receipt back.
    pub(crate) async fn refund(mut self, stores: &Stores, observer: &dyn Observer) {
        let receipt = std::mem::take(&mut self.receipt);
        if receipt.lines().is_empty() {
            return;
        }
        self.ask(stores, observer, |store| store.refund(receipt))
            .await;
    }

    /// Corrects the charges to what `true_cost` says of each line, and the lines with them.
    pub(crate) async fn settle(
        mut self,
        lines: &mut Lines,
        stores: &Stores,
        observer: &dyn Observer,
        true_cost: impl Fn(&Line) -> u64,
    ) {
        let place = self.store_place;
        let costs: SmallVec<[(usize, u64); 4]> = changed(lines, place, &true_cost);
        let mut receipt = std::mem::take(&mut self.receipt);
        receipt.retain(|seat| costs.iter().any(|(changed, _)| *changed == seat));
        if receipt.lines().is_empty() {
            return;
        }
        let by_seat = |seat: usize| {
            costs
                .iter()
                .find_map(|(changed, cost)| (*changed == seat).then_some(*cost))
                .unwrap_or(0)
        };
        let nothing = costs.iter().all(|(_, cost)| *cost == 0);
        self.ask(stores, observer, |store| match nothing {
            true => store.refund(receipt),
            false => store.settle(receipt, &by_seat),
        })
        .await;
        for (seat, cost) in &costs {
            lines
                .iter_mut()
                .filter(|line| line.stands_at(place, *seat))
                .for_each(|line| line.corrected(*cost));
        }
    }
}

/// The seats of a store whose true cost is another than what was taken.
fn changed(
    lines: &Lines,
    place: usize,
    true_cost: impl Fn(&Line) -> u64,
) -> SmallVec<[(usize, u64); 4]> {
    lines
        .iter()
        .filter(|line| line.taken > 0)
        .filter_map(|line| {
            let seat = line
                .seat
                .filter(|seat| seat.store == place && !seat.shared)?;
            let cost = true_cost(line);
            (cost != line.taken).then_some((seat.place, cost))
        })
        .collect()
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held")
            .field("store_place", &self.store_place)
            .field("receipt", &self.receipt)
            .finish_non_exhaustive()
    }
}
