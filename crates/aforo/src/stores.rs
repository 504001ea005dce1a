//! The stores by name.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use aforo_policy::{OnStoreFailure, Policy, Settings, StoreSettings};
use aforo_store::{Clock, MemoryStore, Store, StoreError};

use crate::{BuildError, Observer};

/// The stores of a file, by their place. A reload keeps the stores and their counters.
pub(crate) struct Stores(Vec<Arc<NamedStore>>);

/// A store with its settings.
pub(crate) struct NamedStore {
    pub(crate) name: String,
    pub(crate) settings: StoreSettings,
    pub(crate) store: Arc<dyn Store>,
    /// The same, when it is memory: it answers at once, so that nothing has to wait.
    memory: Option<Arc<Memory>>,
    fallback: Arc<OnceLock<Memory>>,
    clock: Arc<dyn Clock>,
    degraded: AtomicBool,
}

/// A memory store on the limiter's clock.
pub(crate) type Memory = MemoryStore<Arc<dyn Clock>>;

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
    ) -> Result<Self, BuildError> {
        let default = ("default".to_owned(), StoreSettings::default());
        let mut named: BTreeMap<String, StoreSettings> = BTreeMap::from([default]);
        named.extend(settings.stores.clone());
        for name in own.keys() {
            named.entry(name.clone()).or_default();
        }
        named
            .into_iter()
            .map(|(name, settings)| {
                let kept = before.and_then(|before| before.by_name(&name));
                NamedStore::new(name, settings, kept, own, clock).map(Arc::new)
            })
            .collect::<Result<Vec<_>, _>>()
            .map(Self)
    }

    /// The place of the store that keeps a policy's counters.
    pub(crate) fn place_of(&self, policy: &Policy) -> usize {
        match self.0.as_slice() {
            [_] => 0,
            several => several
                .iter()
                .position(|store| store.name == policy.store)
                .unwrap_or(0),
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
        let charges = self.0.iter().map(|store| store.overflowed());
        charges.fold(0, u64::saturating_add)
    }

    fn by_name(&self, name: &str) -> Option<&Arc<NamedStore>> {
        self.0.iter().find(|store| store.name == name)
    }
}

impl NamedStore {
    fn new(
        name: String,
        settings: StoreSettings,
        kept: Option<&Arc<Self>>,
        own: &OwnStores,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, BuildError> {
        if let Some(kept) = kept.filter(|kept| kept.settings.url == settings.url) {
            if kept.settings.max_keys != settings.max_keys
                || kept.settings.max_log_entries != settings.max_log_entries
            {
                tracing::warn!(
                    store = name,
                    "the store keeps its size and its counters until the next start"
                );
            }
            return Ok(Self {
                name,
                settings,
                store: Arc::clone(&kept.store),
                memory: kept.memory.clone(),
                fallback: Arc::clone(&kept.fallback),
                clock: Arc::clone(clock),
                degraded: AtomicBool::new(kept.degraded.load(Ordering::Relaxed)),
            });
        }
        let (store, memory): (Arc<dyn Store>, _) = match own.get(&name) {
            Some(store) => (Arc::clone(store), None),
            None if settings.url == "memory" => {
                let memory = Arc::new(memory(&settings, clock));
                (Arc::clone(&memory) as Arc<dyn Store>, Some(memory))
            }
            None => {
                return Err(BuildError::UnknownStore {
                    store: name,
                    url: settings.url,
                });
            }
        };
        Ok(Self {
            name,
            settings,
            store,
            memory,
            fallback: Arc::default(),
            clock: Arc::clone(clock),
            degraded: AtomicBool::new(false),
        })
    }

    /// Whether it answers at once.
    pub(crate) const fn is_immediate(&self) -> bool {
        self.memory.is_some()
    }

    /// Charges that had to share an entry, in this store and its fallback.
    pub(crate) fn overflowed(&self) -> u64 {
        let own = self.memory.as_ref().map_or(0, |memory| memory.overflowed());
        own.saturating_add(self.fallback.get().map_or(0, |memory| memory.overflowed()))
    }

    /// What this store's failure means for a policy.
    pub(crate) fn on_failure(&self, policy: &Policy) -> OnStoreFailure {
        policy
            .on_store_failure
            .unwrap_or(self.settings.on_store_failure)
    }

    /// It failed: said once, until it answers again.
    pub(crate) fn failed(&self, error: &StoreError, observer: &dyn Observer) {
        observer.store_failed(&self.name, error);
        if !self.degraded.swap(true, Ordering::Relaxed) {
            tracing::error!(
                store = self.name,
                %error,
                "the store fails; its policies follow on_store_failure until it answers"
            );
        }
    }

    /// It answered.
    pub(crate) fn answered(&self) {
        if self.degraded.load(Ordering::Relaxed) && self.degraded.swap(false, Ordering::Relaxed) {
            tracing::info!(store = self.name, "the store answers again");
        }
    }

    /// How many instances share it; one, when nobody wrote it down.
    pub(crate) fn instances(&self) -> u32 {
        self.settings.instances.unwrap_or(1).max(1)
    }

    /// The memory that counts this instance's share while the store fails.
    pub(crate) fn fallback(&self) -> &Memory {
        self.fallback
            .get_or_init(|| memory(&self.settings, &self.clock))
    }
}

/// A memory store of the size that the settings say.
pub(crate) fn memory(settings: &StoreSettings, clock: &Arc<dyn Clock>) -> Memory {
    MemoryStore::builder()
        .max_keys(settings.max_keys)
        .max_log_entries(settings.max_log_entries)
        .clock(Arc::clone(clock))
        .build()
}
