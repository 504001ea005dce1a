//! The directory of a file's registry.

use std::sync::Arc;

use aforo_policy::{Identity, StoreUrl};
use aforo_store::Clock;

use super::Directory;
use crate::BuildError;

/// A directory that asks the registry at this address, by the limiter's clock.
#[cfg(any(feature = "registry-sqlite", feature = "registry-postgres"))]
pub(crate) fn of_registry(
    url: &StoreUrl,
    identity: &Identity,
    clock: &Arc<dyn Clock>,
) -> Result<Directory, BuildError> {
    let lookups = &identity.lookups;
    let registry = crate::registry::Registry::open(url, lookups.timeout.into());
    let registry = registry.map_err(BuildError::Registry)?;
    let registry = registry.clock(Arc::clone(clock));
    let directory = Directory::new(Box::new(registry), lookups, Arc::clone(clock));
    Ok(directory.named_by(identity))
}

/// No registry is built in.
#[cfg(not(any(feature = "registry-sqlite", feature = "registry-postgres")))]
pub(crate) fn of_registry(
    _: &StoreUrl,
    _: &Identity,
    _: &Arc<dyn Clock>,
) -> Result<Directory, BuildError> {
    Err(BuildError::RegistryNotBuilt)
}
