//! What a reload exchanges.

use std::sync::Arc;

use aforo_core::HashKey;
use aforo_policy::{PolicySet, Settings};
use aforo_store::Clock;

use crate::builder::device_secrets;
use crate::identity::Sources;
use crate::stores::{OwnStores, Stores};
use crate::{BuildError, ProcessEnvironment};

/// Everything that comes from the file: a reload exchanges it as a whole.
pub(crate) struct Setup {
    settings: Arc<Settings>,
    pub(crate) policies: PolicySet,
    pub(crate) stores: Stores,
    pub(crate) sources: Sources,
    /// Which file this is, of all since the start.
    pub(crate) generation: u64,
    /// Whether all stores answer at once.
    pub(crate) immediate: bool,
}

impl Setup {
    /// The setup of `settings`, with the stores of `before` and their counters.
    pub(crate) fn new(
        settings: Settings,
        before: Option<&Self>,
        own: &OwnStores,
        clock: &Arc<dyn Clock>,
        key: &HashKey,
    ) -> Result<Self, BuildError> {
        device_secrets::unlock(&settings, &ProcessEnvironment)?;
        let stores = before.map(|before| &before.stores);
        let stores = Stores::new(&settings, stores, own, clock, key)?;
        let sources = before.map(|before| &before.sources);
        let sources = Sources::new(&settings, sources, clock, key, &ProcessEnvironment)?;
        let settings = Arc::new(settings);
        Ok(Self {
            policies: PolicySet::new(Arc::clone(&settings)),
            settings,
            immediate: stores.all_immediate(),
            stores,
            sources,
            generation: before.map_or(0, |before| before.generation.saturating_add(1)),
        })
    }

    /// The file.
    pub(crate) fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }
}
