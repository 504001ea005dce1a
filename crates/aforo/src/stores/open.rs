//! Opening the store that an address names.

use std::sync::Arc;

use aforo_core::HashKey;
use aforo_policy::{StoreKind, StoreSettings};
use aforo_store::Store;

use crate::BuildError;

/// Opens a shared store, without connecting.
pub(super) fn open(
    name: &str,
    settings: &StoreSettings,
    key: &HashKey,
) -> Result<Arc<dyn Store>, BuildError> {
    let _ = key;
    let feature = match settings.url.kind() {
        StoreKind::Redis => "redis",
        StoreKind::Memcached => "memcached",
        StoreKind::Sqlite => "sqlite",
        StoreKind::Postgres => "postgres",
        _ => "none",
    };
    Err(BuildError::StoreNotBuilt {
        store: name.to_owned(),
        url: settings.url.to_string(),
        feature,
    })
}
