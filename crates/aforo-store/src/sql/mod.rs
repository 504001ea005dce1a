//! The store in an SQL database: quotas that survive and can be queried.

mod calls;
mod failure;
#[cfg(feature = "postgres")]
mod postgres;
mod preparation;
mod row;
mod schema;
mod session;
#[cfg(feature = "sqlite")]
mod sqlite;
mod transaction;

use std::fmt;

use crate::{Answer, Batch, Charged, OpenError, Receipt, Remote, Store};
use calls::Calls;

/// Keeps counters in an SQL database: SQLite, a file on one machine, or PostgreSQL, a server for
/// many. Meant for month and contract quotas; every algorithm works.
///
/// Its urls are `sqlite:PATH` and `postgres://USER:PASSWORD@HOST:PORT/DATABASE` (also
/// `postgresql://`). It connects on first use, makes its tables itself and connects again by
/// itself, on a thread of its own: any executor can wait for its answers.
///
/// A batch is one transaction, which locks its rows in one order and reads the time after. On
/// PostgreSQL that is the server's time, in SQLite this machine's. Consumers and policies stand in
/// the clear in the view `aforo_usage`; partition keys only as hashes. What is stated about
/// bounds, failures and the view is in `docs/sql.md`.
///
/// ```
/// # #[cfg(feature = "sqlite")]
/// # {
/// use aforo_core::HashKey;
/// use aforo_store::{Remote, SqlStore};
/// let secret = HashKey::new([1, 2]);
/// let store = SqlStore::open(&Remote::new("sqlite:/var/lib/aforo/quotas.db", secret.fingerprint()));
/// assert!(store.is_ok());
/// # }
/// ```
pub struct SqlStore {
    kind: Kind,
}

enum Kind {
    #[cfg(feature = "sqlite")]
    Sqlite(Calls<sqlite::Sqlite>),
    #[cfg(feature = "postgres")]
    Postgres(Calls<postgres::Postgres>),
}

/// Connections of one instance to PostgreSQL: as many transactions run at once.
#[cfg(feature = "postgres")]
const CONNECTIONS: usize = 4;

impl SqlStore {
    /// A store by its url; it connects on first use.
    ///
    /// # Errors
    /// When the url or the namespace cannot be used, the url names a database that this program
    /// was built without, or no thread can be had.
    pub fn open(remote: &Remote) -> Result<Self, OpenError> {
        let (scheme, _rest) = remote.url.split_once(':').unwrap_or(("", ""));
        let kind = match scheme {
            #[cfg(feature = "sqlite")]
            "sqlite" => {
                let sqlite = sqlite::Sqlite::open(_rest, remote)?;
                // One connection: transactions of a file exclude each other anyway.
                Kind::Sqlite(Calls::new(sqlite, 1, remote)?)
            }
            #[cfg(feature = "postgres")]
            "postgres" | "postgresql" => {
                let postgres = postgres::Postgres::open(remote)?;
                Kind::Postgres(Calls::new(postgres, CONNECTIONS, remote)?)
            }
            _ => {
                return Err(OpenError::Url {
                    problem: "it is not that of an SQL database this program knows".to_owned(),
                    expected: "sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE",
                });
            }
        };
        Ok(Self { kind })
    }
}

impl fmt::Debug for SqlStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SqlStore")
    }
}

macro_rules! on_either {
    ($store:expr, $calls:ident => $answer:expr) => {
        match &$store.kind {
            #[cfg(feature = "sqlite")]
            Kind::Sqlite($calls) => Answer::waiting($answer),
            #[cfg(feature = "postgres")]
            Kind::Postgres($calls) => Answer::waiting($answer),
        }
    };
}

impl Store for SqlStore {
    fn charge<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        on_either!(self, calls => calls.charge(batch))
    }

    fn peek<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, Charged> {
        on_either!(self, calls => calls.peek(batch))
    }

    fn refund(&self, receipt: Receipt) -> Answer<'_, ()> {
        on_either!(self, calls => calls.settle(receipt, None))
    }

    fn settle<'a>(
        &'a self,
        receipt: Receipt,
        true_cost: &'a (dyn Fn(usize) -> u64 + Sync),
    ) -> Answer<'a, ()> {
        on_either!(self, calls => calls.settle(receipt, Some(true_cost)))
    }

    fn reset<'a>(&'a self, batch: &'a Batch<'_>) -> Answer<'a, ()> {
        on_either!(self, calls => calls.reset(batch))
    }
}
