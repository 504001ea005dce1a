//! What a reload exchanges.

use std::sync::Arc;

use aforo_policy::{PolicySet, Settings};

use crate::builder::device_secrets;
use crate::fixed::Fixed;
use crate::identity::Sources;
use crate::stores::Stores;
use crate::{BuildError, ProcessEnvironment};

/// Everything that comes from the file: a reload exchanges it as a whole.
pub(crate) struct Setup {
    /// What stays: whoever holds a setup needs nothing else.
    pub(crate) fixed: Arc<Fixed>,
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
        fixed: &Arc<Fixed>,
    ) -> Result<Self, BuildError> {
        device_secrets::unlock(&settings, &ProcessEnvironment)?;
        let (own, clock, key) = (&fixed.own_stores, &fixed.clock, &fixed.key);
        let stores = before.map(|before| &before.stores);
        let stores = Stores::new(&settings, stores, own, clock, key)?;
        let sources = before.map(|before| &before.sources);
        let sources = Sources::new(&settings, sources, clock, key, &ProcessEnvironment)?;
        let settings = Arc::new(settings);
        Ok(Self {
            fixed: Arc::clone(fixed),
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
