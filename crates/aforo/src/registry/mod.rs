//! The consumer registry: consumers, their API keys and their negotiated quotas in a database.
//!
//! A SQLite file serves one machine, PostgreSQL many; the tables are the same, and whoever comes
//! first makes them or brings them to the newest version. API keys are kept as their SHA-256 and
//! shown once, when they are issued. Every change is written into an audit trail in the same
//! transaction.
//!
//! ```
//! # #[cfg(feature = "registry-sqlite")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use aforo::registry::{NewConsumer, Registry};
//!
//! # let folder = std::env::temp_dir().join(format!("aforo-registry-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let address = format!("sqlite:{}/consumers.db", folder.display());
//! let registry = Registry::open(&address.parse()?, Duration::from_secs(5))?;
//! let author = "ana".parse()?;
//! let mut acme = NewConsumer::new("acme".parse()?);
//! acme.plan = Some("pro".parse()?);
//! registry.create(&acme, &author).await?;
//! let (issued, _) = registry.issue_key(&acme.id, None, None, &author).await?;
//! assert!(issued.reveal().starts_with("aforo_"));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "registry-sqlite"))]
//! # fn main() {}
//! ```

mod api_key;
mod api_keys;
mod audit;
mod consumer;
mod database;
mod error;
mod instant;
mod known;
mod lookup;
mod overrides;
mod text;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aforo_policy::StoreUrl;
use aforo_store::{Clock, WallClock};

pub use api_key::{ApiKey, ApiKeyId, IssuedApiKey, without_api_keys};
pub use api_keys::Rotated;
pub use audit::AuditEntry;
pub use consumer::{ConsumerFilter, NewConsumer, RegisteredConsumer};
pub use error::RegistryError;
pub use known::Known;
pub use overrides::{NegotiatedQuota, NewOverride};
pub use text::{Name, Text, TextError};

use audit::Signature;
use database::Database;

/// A registry of consumers. It connects when it is first asked, so that a database that is down
/// does not hinder a start, and reads nothing in advance. Its answers can be awaited on any
/// executor.
pub struct Registry {
    database: Database,
    clock: Arc<dyn Clock>,
}

impl Registry {
    /// The registry in the database at `url`. No question and no change takes longer than
    /// `timeout`.
    ///
    /// # Errors
    /// When the address is that of no SQL database, or its kind is not built in.
    pub fn open(url: &StoreUrl, timeout: Duration) -> Result<Self, RegistryError> {
        Ok(Self {
            database: Database::open(url, timeout)?,
            clock: Arc::new(WallClock),
        })
    }

    /// The same by another clock, for tests.
    #[must_use]
    pub fn clock(self, clock: impl Clock) -> Self {
        Self {
            clock: Arc::new(clock),
            ..self
        }
    }

    /// Its address; its `Display` shows no password.
    pub const fn url(&self) -> &StoreUrl {
        self.database.url()
    }

    fn signature<'a>(&self, author: &'a Text) -> Signature<'a> {
        let at = self.clock.now();
        Signature { at, author }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registry({})", self.url())
    }
}
