//! Where the database is, and how it is connected to.

use std::time::Duration;

use aforo_policy::{StoreKind, StoreUrl};
use sqlx::{ConnectOptions as _, Error};

use super::Connection;
use super::tables;
use crate::registry::RegistryError;

const EXPECTED: &str = "sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE";

/// A database that a registry can be in.
#[derive(Clone)]
pub(super) enum Place {
    #[cfg(feature = "registry-sqlite")]
    Sqlite(sqlx::sqlite::SqliteConnectOptions),
    #[cfg(feature = "registry-postgres")]
    Postgres(sqlx::postgres::PgConnectOptions, Duration),
}

impl Place {
    /// The database of an address; nothing is connected yet.
    pub(super) fn of(url: &StoreUrl, timeout: Duration) -> Result<Self, RegistryError> {
        match url.kind() {
            StoreKind::Sqlite => sqlite(url, timeout),
            StoreKind::Postgres => postgres(url, timeout),
            _ => Err(wrong("it is not that of an SQL database")),
        }
    }

    /// Connections that are worth having: writers of a file exclude each other anyway.
    pub(super) const fn most_connections(&self) -> usize {
        match self {
            #[cfg(feature = "registry-sqlite")]
            Self::Sqlite(_) => 2,
            #[cfg(feature = "registry-postgres")]
            Self::Postgres(..) => 4,
        }
    }

    /// A connection with the newest tables behind it.
    pub(super) async fn connect(self) -> Result<Connection, Failure> {
        let mut connection = match self {
            #[cfg(feature = "registry-sqlite")]
            Self::Sqlite(options) => Connection::Sqlite(options.connect().await?),
            #[cfg(feature = "registry-postgres")]
            Self::Postgres(options, timeout) => {
                let mut connection = Connection::Postgres(options.connect().await?);
                let millis = timeout.as_millis().max(1);
                let settings = format!(
                    "SET statement_timeout = {millis}; \
                     SET idle_in_transaction_session_timeout = {millis}"
                );
                connection.script(settings).await?;
                connection
            }
        };
        tables::bring_up_to_date(&mut connection).await?;
        Ok(connection)
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(in crate::registry) enum Failure {
    /// The driver says so.
    Driver(Error),
    /// The registry says so.
    Registry(RegistryError),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Driver(error)
    }
}

impl From<RegistryError> for Failure {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

impl From<aforo_store::StoreError> for Failure {
    fn from(error: aforo_store::StoreError) -> Self {
        Self::Registry(error.into())
    }
}

impl Failure {
    /// What the caller is told: nothing of the address's password.
    pub(super) fn told(self, url: &StoreUrl) -> RegistryError {
        match self {
            Self::Registry(RegistryError::Unavailable(problem)) => {
                RegistryError::Unavailable(url.without_password(&problem))
            }
            Self::Registry(error) => error,
            Self::Driver(Error::Database(error)) if is_late(error.code().as_deref()) => {
                RegistryError::Timeout
            }
            Self::Driver(error) => {
                RegistryError::Unavailable(url.without_password(&error.to_string()))
            }
        }
    }
}

/// Whether the connection is of no use any more: a server that was restarted since.
pub(super) fn is_broken(error: &Error) -> bool {
    let Error::Database(error) = error else {
        return true;
    };
    let code = error.code().unwrap_or_default();
    // PostgreSQL: it shuts down, or became a standby.
    code.starts_with("57P") || code == "25006"
}

/// PostgreSQL's statement_timeout; SQLite's SQLITE_BUSY, after waiting for the other writer.
fn is_late(code: Option<&str>) -> bool {
    let number = code.filter(|code| code.len() < 5);
    let number = number.and_then(|code| code.parse::<u32>().ok());
    code == Some("57014") || number.is_some_and(|number| number & 0xff == 5)
}

fn wrong(problem: &str) -> RegistryError {
    RegistryError::Url {
        problem: problem.to_owned(),
        expected: EXPECTED,
    }
}

#[cfg(feature = "registry-sqlite")]
fn sqlite(url: &StoreUrl, timeout: Duration) -> Result<Place, RegistryError> {
    use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

    let (_, path) = url.as_str().split_once(':').unwrap_or_default();
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.is_empty() || path == ":memory:" {
        return Err(wrong("it names no file"));
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // What the program said is done survives the machine's fall.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(timeout)
        .disable_statement_logging();
    Ok(Place::Sqlite(options))
}

#[cfg(not(feature = "registry-sqlite"))]
fn sqlite(_: &StoreUrl, _: Duration) -> Result<Place, RegistryError> {
    Err(RegistryError::NotBuilt {
        feature: "registry-sqlite",
    })
}

#[cfg(feature = "registry-postgres")]
fn postgres(url: &StoreUrl, timeout: Duration) -> Result<Place, RegistryError> {
    // The driver's own error could show a part of the password.
    let options = url.as_str().parse::<sqlx::postgres::PgConnectOptions>();
    let options = options.map_err(|_| wrong("it is no url of a PostgreSQL database"))?;
    Ok(Place::Postgres(
        options.disable_statement_logging(),
        timeout,
    ))
}

#[cfg(not(feature = "registry-postgres"))]
fn postgres(_: &StoreUrl, _: Duration) -> Result<Place, RegistryError> {
    Err(RegistryError::NotBuilt {
        feature: "registry-postgres",
    })
}
