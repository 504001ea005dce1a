//! A store with its name and settings.

use std::sync::{Arc, OnceLock};

use aforo_core::HashKey;
use aforo_policy::{OnStoreFailure, Policy, StoreSettings};
use aforo_store::{Clock, LeaseStats, LeasedStore, MemoryStore, Store};

use super::guard::Guard;
use super::{OwnStores, StoreState, StoreStatus, open};
use crate::BuildError;

/// A store with its settings.
pub(crate) struct NamedStore {
    pub(crate) name: String,
    pub(crate) settings: StoreSettings,
    store: Arc<dyn Store>,
    /// The same, when it is memory: it answers at once, so that nothing has to wait.
    memory: Option<Arc<Memory>>,
    guard: Arc<Guard>,
    fallback: Arc<OnceLock<Memory>>,
    clock: Arc<dyn Clock>,
    /// The same, when it takes in advance from the shared store of this name.
    leased: Option<Arc<LeasedStore>>,
}

/// A memory store on the limiter's clock.
pub(crate) type Memory = MemoryStore<Arc<dyn Clock>>;

impl NamedStore {
    pub(super) fn new(
        name: String,
        settings: StoreSettings,
        kept: Option<&Arc<Self>>,
        own: &OwnStores,
        clock: &Arc<dyn Clock>,
        key: &HashKey,
    ) -> Result<Self, BuildError> {
        if let Some(kept) = kept.filter(|kept| kept.stays(&settings, own)) {
            return Ok(kept.with(settings));
        }
        let (store, memory): (Arc<dyn Store>, _) = match own.get(&name) {
            Some(store) => (Arc::clone(store), None),
            None if settings.url.is_shared() => (open::open(&name, &settings, key)?, None),
            None => {
                let memory = Arc::new(memory(&settings, clock));
                (Arc::clone(&memory) as Arc<dyn Store>, Some(memory))
            }
        };
        Ok(Self {
            name,
            settings,
            store,
            memory,
            guard: Arc::default(),
            fallback: Arc::default(),
            clock: Arc::clone(clock),
            leased: None,
        })
    }

    /// Whether a reload to `settings` keeps this store: it is the application's own, or in the
    /// same place.
    fn stays(&self, settings: &StoreSettings, own: &OwnStores) -> bool {
        let before = &self.settings;
        let asked_alike = before.namespace == settings.namespace
            && before.timeout == settings.timeout
            || self.is_immediate();
        own.contains_key(&self.name) || before.url == settings.url && asked_alike
    }

    /// The same store with other settings.
    fn with(&self, settings: StoreSettings) -> Self {
        if self.settings.max_keys != settings.max_keys
            || self.settings.max_log_entries != settings.max_log_entries
        {
            tracing::warn!(
                store = self.name,
                "the store keeps its size and its counters until the next start"
            );
        }
        Self {
            name: self.name.clone(),
            settings,
            store: Arc::clone(&self.store),
            memory: self.memory.clone(),
            guard: Arc::clone(&self.guard),
            fallback: Arc::clone(&self.fallback),
            clock: Arc::clone(&self.clock),
            leased: self.leased.clone(),
        }
    }

    /// The same store for policies that are leased. It has the same breaker, near cache and
    /// fallback. `kept` is the one from before a reload.
    pub(super) fn leased(&self, kept: Option<&Self>) -> Self {
        let kept = kept.filter(|kept| Arc::ptr_eq(&kept.guard, &self.guard));
        let leased = kept.and_then(|kept| kept.leased.clone());
        let leased = leased.unwrap_or_else(|| {
            let inner = Arc::clone(&self.store);
            Arc::new(LeasedStore::new(inner, Arc::clone(&self.clock)))
        });
        Self {
            store: Arc::clone(&leased) as Arc<dyn Store>,
            leased: Some(leased),
            ..self.with(self.settings.clone())
        }
    }

    /// Whether it takes in advance.
    pub(crate) const fn is_leased(&self) -> bool {
        self.leased.is_some()
    }

    /// Whether it answers at once.
    pub(crate) const fn is_immediate(&self) -> bool {
        self.memory.is_some()
    }

    /// The store itself, when it is memory.
    pub(crate) fn memory(&self) -> Option<&Memory> {
        self.memory.as_deref()
    }

    /// The store itself. One that is not immediate is asked through [`NamedStore::ask`].
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    pub(super) fn guard(&self) -> &Guard {
        &self.guard
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// What it has taken in advance.
    pub(super) fn leases(&self) -> LeaseStats {
        let leased = self.leased.as_ref();
        leased.map_or_else(LeaseStats::default, |leased| leased.stats())
    }

    /// How it is, and what was taken from it in advance.
    pub(super) fn status(&self, leases: LeaseStats) -> StoreStatus {
        StoreStatus {
            name: self.name.clone(),
            shared: !self.is_immediate(),
            state: match self.is_immediate() {
                true => StoreState::Answers,
                false => self.guard.breaker.state(),
            },
            leases,
        }
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
