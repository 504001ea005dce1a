//! The stores by name.

pub(crate) mod breaker;
mod guard;
mod named;
mod near_cache;
mod open;
mod outage;
mod status;

pub(crate) use named::{Memory, NamedStore, memory};
pub use status::{StoreState, StoreStatus};

use std::collections::BTreeMap;
use std::sync::Arc;

use aforo_core::HashKey;
use aforo_policy::{Policy, Precision, Settings, StoreSettings};
use aforo_store::{Clock, Store};

use crate::BuildError;

/// The stores of a file, by their place. A reload keeps the stores and their counters.
pub(crate) struct Stores(Vec<Arc<NamedStore>>);

/// Stores that the application brings itself.
pub(crate) type OwnStores = BTreeMap<String, Arc<dyn Store>>;

impl Stores {
    /// The stores of `settings`: those of `before` where the name is the same, `own` ones where
    /// the application brought them, new ones otherwise.
    pub(crate) fn new(
        settings: &Settings,
        before: Option<&Self>,
        own: &OwnStores,
        clock: &Arc<dyn Clock>,
        key: &HashKey,
    ) -> Result<Self, BuildError> {
        let default = ("default".to_owned(), StoreSettings::default());
        let mut named: BTreeMap<String, StoreSettings> = BTreeMap::from([default]);
        named.extend(settings.stores.clone());
        for name in own.keys() {
            named.entry(name.clone()).or_default();
        }
        let mut stores = Vec::new();
        for (name, settings) in named {
            let kept = before.and_then(|before| before.by_name(&name, false));
            let store = NamedStore::new(name, settings, kept, own, clock, key)?;
            let kept = before.and_then(|before| before.by_name(&store.name, true));
            let leased = (!store.is_immediate()).then(|| store.leased(kept.map(|kept| &**kept)));
            stores.extend([Some(store), leased].into_iter().flatten().map(Arc::new));
        }
        Ok(Self(stores))
    }

    /// The place of the store that keeps a policy's counters. A shared store has a second place
    /// after its own, for policies that are leased.
    pub(crate) fn place_of(&self, policy: &Policy) -> usize {
        if let [_] = self.0.as_slice() {
            return 0;
        }
        let place = self.0.iter().position(|store| store.name == policy.store);
        let place = place.unwrap_or(0);
        let beside = place.saturating_add(1);
        match self.0.get(beside) {
            Some(store) if policy.precision == Precision::Leased && store.is_leased() => beside,
            _ => place,
        }
    }

    /// The store at a place.
    pub(crate) fn at(&self, place: usize) -> Option<&Arc<NamedStore>> {
        self.0.get(place)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether all of them answer at once.
    pub(crate) fn all_immediate(&self) -> bool {
        self.0.iter().all(|store| store.is_immediate())
    }

    /// Charges that had to share an entry.
    pub(crate) fn overflowed(&self) -> u64 {
        let charges = self.iter().map(|store| store.overflowed());
        charges.fold(0, u64::saturating_add)
    }

    /// How they are.
    pub(crate) fn status(&self) -> Vec<StoreStatus> {
        let leases = |store: &NamedStore| {
            let leased = self.by_name(&store.name, true);
            leased.map(|leased| leased.leases()).unwrap_or_default()
        };
        self.iter()
            .map(|store| store.status(leases(store)))
            .collect()
    }

    /// Each of them once.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<NamedStore>> {
        self.0.iter().filter(|store| !store.is_leased())
    }

    fn by_name(&self, name: &str, leased: bool) -> Option<&Arc<NamedStore>> {
        let is = |store: &&Arc<NamedStore>| store.name == name && store.is_leased() == leased;
        self.0.iter().find(is)
    }
}
