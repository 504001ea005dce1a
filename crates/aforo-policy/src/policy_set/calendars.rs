//! The calendar edges around now, computed once per window.

use aforo_core::{Edges, Timestamp};
use arc_swap::ArcSwapOption;
use std::sync::Arc;

use crate::{Allowance, Calendar, Metered, Settings};

/// The last edges of each calendar quota of a file, by the quota's address: the file is kept as
/// long as this is, so an address stays one quota's.
#[derive(Debug, Default)]
pub(crate) struct Calendars {
    /// Sorted by address.
    slots: Vec<(usize, ArcSwapOption<Edges>)>,
}

impl Calendars {
    pub(crate) fn new(settings: &Settings) -> Self {
        let overrides = settings
            .consumers
            .values()
            .flat_map(|consumer| &consumer.overrides)
            .map(|one| &one.allowance);
        let mut addresses: Vec<usize> = settings
            .all_policies()
            .flat_map(|policy| policy.allowance.iter().chain(policy.by_plan.values()))
            .chain(overrides)
            .filter_map(|allowance| match allowance {
                Allowance::Metered(metered) if metered.calendar.is_some() => Some(address(metered)),
                _ => None,
            })
            .collect();
        addresses.sort_unstable();
        addresses.dedup();
        let slot = |address| (address, ArcSwapOption::empty());
        Self {
            slots: addresses.into_iter().map(slot).collect(),
        }
    }

    /// The edges around `now` for a quota with a calendar.
    pub(crate) fn edges(&self, metered: &Metered, now: Timestamp) -> Option<Edges> {
        let calendar = metered.calendar.as_ref()?;
        let address = address(metered);
        let found = self.slots.binary_search_by_key(&address, |(held, _)| *held);
        match found.ok().and_then(|at| self.slots.get(at)) {
            Some((_, slot)) => kept(slot, calendar, now),
            // A quota of another file: a consumer that was looked up before a reload.
            None => calendar.edges(now),
        }
    }
}

/// The edges in the slot, computed anew when `now` has left their window.
fn kept(slot: &ArcSwapOption<Edges>, calendar: &Calendar, now: Timestamp) -> Option<Edges> {
    let held = slot.load().as_deref().copied();
    let current = held.filter(|edges| {
        let [_, start, end, _] = edges.as_array();
        start <= now && now < end
    });
    current.or_else(|| {
        let edges = calendar.edges(now)?;
        slot.store(Some(Arc::new(edges)));
        Some(edges)
    })
}

fn address(metered: &Metered) -> usize {
    std::ptr::from_ref(metered).addr()
}
