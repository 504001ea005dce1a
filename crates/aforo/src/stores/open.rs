//! Opening the store that an address names.

use std::sync::Arc;

use aforo_core::HashKey;
use aforo_policy::{StoreKind, StoreSettings};
use aforo_store::{OpenError, Remote, Store};

use crate::BuildError;

/// Opens a shared store, without connecting: it does so when it is first asked.
pub(super) fn open(
    name: &str,
    settings: &StoreSettings,
    key: &HashKey,
) -> Result<Arc<dyn Store>, BuildError> {
    let remote = Remote {
        namespace: settings.namespace.clone(),
        timeout: settings.timeout.into(),
        ..Remote::new(settings.url.as_str(), key.fingerprint())
    };
    let opened = match settings.url.kind() {
        StoreKind::Redis => redis(&remote),
        StoreKind::Memcached => memcached(&remote),
        StoreKind::Sqlite => sqlite(&remote),
        StoreKind::Postgres => postgres(&remote),
        _ => Err(Unopened::NotBuilt("memory")),
    };
    opened.map_err(|unopened| match unopened {
        Unopened::NotBuilt(feature) => BuildError::StoreNotBuilt {
            store: name.to_owned(),
            url: settings.url.to_string(),
            feature,
        },
        Unopened::Wrong(source) => BuildError::StoreUrl {
            store: name.to_owned(),
            source,
        },
    })
}

/// Why a store is not open.
enum Unopened {
    /// The feature that this build lacks.
    #[allow(dead_code, reason = "a build with every feature lacks none")]
    NotBuilt(&'static str),
    /// Its address.
    #[allow(dead_code, reason = "a build without any feature reads no address")]
    Wrong(OpenError),
}

/// A function that opens a kind of store, or names the feature that it takes.
macro_rules! opener {
    ($name:ident, $feature:literal, $store:ident) => {
        #[cfg(feature = $feature)]
        fn $name(remote: &Remote) -> Result<Arc<dyn Store>, Unopened> {
            match aforo_store::$store::open(remote) {
                Ok(store) => Ok(Arc::new(store)),
                Err(error) => Err(Unopened::Wrong(error)),
            }
        }

        #[cfg(not(feature = $feature))]
        fn $name(_: &Remote) -> Result<Arc<dyn Store>, Unopened> {
            Err(Unopened::NotBuilt($feature))
        }
    };
}

opener!(redis, "redis", RedisStore);
opener!(memcached, "memcached", MemcachedStore);
opener!(sqlite, "sqlite", SqlStore);
opener!(postgres, "postgres", SqlStore);
