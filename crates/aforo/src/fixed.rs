//! What no reload exchanges.

use std::sync::Arc;

use aforo_core::{HashKey, Terms};
use aforo_store::Clock;

use crate::Observer;
use crate::builder::Secret;
use crate::denied::Render;
use crate::identity::UntrustedPeers;
use crate::known_consumer::Identify;
use crate::signals::Signals;
use crate::stores::{Memory, OwnStores};

/// What no reload exchanges: it was said in code, or counts since the start.
pub(crate) struct Fixed {
    pub(crate) own_stores: OwnStores,
    /// The memory of the edge, which every request passes before identity.
    pub(crate) edge: Memory,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) key: HashKey,
    pub(crate) secret: Secret,
    pub(crate) identify: Option<Identify>,
    pub(crate) render: Option<Render>,
    pub(crate) observer: Box<dyn Observer>,
    /// Signs that somebody tries to get round limits, when the observer wants to be told.
    pub(crate) signals: Option<Box<Signals>>,
    pub(crate) untrusted: UntrustedPeers,
    /// How many credentials of an address may fail to verify.
    pub(crate) failed_credentials: Option<Arc<Terms>>,
}
