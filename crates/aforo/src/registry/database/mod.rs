//! The database: its connections, a question, a change.

mod connection;
mod place;
mod tables;

use std::time::Duration;

use aforo_policy::StoreUrl;
use aforo_store::{Held, Pool, Thread};

pub(super) use connection::{Argument, Connection, Row};
use place::{Failure, Place, is_broken};

use super::RegistryError;

/// A database with its connections. It connects when it is first asked.
pub(super) struct Database {
    url: StoreUrl,
    place: Place,
    pool: Pool<Connection>,
    thread: Thread,
    timeout: Duration,
}

/// A transaction that changes something. Dropped, it changes nothing.
pub(super) struct Change<'d> {
    database: &'d Database,
    held: Held<Connection>,
}

impl Database {
    pub(super) fn open(url: &StoreUrl, timeout: Duration) -> Result<Self, RegistryError> {
        let place = Place::of(url, timeout)?;
        Ok(Self {
            url: url.clone(),
            pool: Pool::new(place.most_connections()),
            place,
            thread: Thread::start("aforo-registry")?,
            timeout,
        })
    }

    /// Its address; its `Display` shows no password.
    pub(super) const fn url(&self) -> &StoreUrl {
        &self.url
    }

    /// Asks for rows.
    pub(super) async fn rows(
        &self,
        sql: &'static str,
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Row>, RegistryError> {
        self.within(async {
            let mut held = self.take().await?;
            let mut answer = held.connection.rows(sql, arguments).await;
            if held.used_before && answer.as_ref().is_err_and(is_broken) {
                held = self.another(held).await?;
                answer = held.connection.rows(sql, arguments).await;
            }
            let rows = answer.map_err(|error| self.told(error))?;
            held.put_back();
            Ok(rows)
        })
        .await
    }

    /// Begins to change something.
    pub(super) async fn change(&self) -> Result<Change<'_>, RegistryError> {
        let mut held = self.take().await?;
        let mut begun = held.connection.run(begin(&held.connection), &[]).await;
        if held.used_before && begun.as_ref().is_err_and(is_broken) {
            held = self.another(held).await?;
            begun = held.connection.run(begin(&held.connection), &[]).await;
        }
        begun.map_err(|error| self.told(error))?;
        Ok(Change {
            database: self,
            held,
        })
    }

    /// A future that gives up after the timeout.
    pub(super) async fn within<T>(
        &self,
        work: impl Future<Output = Result<T, RegistryError>>,
    ) -> Result<T, RegistryError> {
        let answer = self.thread.within(self.timeout, work).await;
        answer.unwrap_or(Err(RegistryError::Timeout))
    }

    async fn take(&self) -> Result<Held<Connection>, RegistryError> {
        let connect = self.place.clone().connect();
        let held = self.pool.take(self.thread.handle(), connect).await;
        held.map_err(|failure: Failure| failure.told(&self.url))
    }

    /// Another connection than one that the server closed: those beside it are no better.
    async fn another(&self, closed: Held<Connection>) -> Result<Held<Connection>, RegistryError> {
        self.pool.clear();
        drop(closed);
        self.take().await
    }

    fn told(&self, error: sqlx::Error) -> RegistryError {
        Failure::from(error).told(&self.url)
    }
}

impl Change<'_> {
    /// Runs a statement; how many rows it changed.
    pub(super) async fn run(
        &mut self,
        sql: &'static str,
        arguments: &[Argument<'_>],
    ) -> Result<u64, RegistryError> {
        let done = self.held.connection.run(sql, arguments).await;
        done.map_err(|error| self.database.told(error))
    }

    /// Asks for rows.
    pub(super) async fn rows(
        &mut self,
        sql: &'static str,
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Row>, RegistryError> {
        let rows = self.held.connection.rows(sql, arguments).await;
        rows.map_err(|error| self.database.told(error))
    }

    /// Makes it so.
    pub(super) async fn commit(mut self) -> Result<(), RegistryError> {
        self.run("COMMIT", &[]).await?;
        self.held.put_back();
        Ok(())
    }
}

const fn begin(connection: &Connection) -> &'static str {
    match connection {
        #[cfg(feature = "registry-sqlite")]
        Connection::Sqlite(_) => "BEGIN IMMEDIATE",
        #[cfg(feature = "registry-postgres")]
        Connection::Postgres(_) => "BEGIN ISOLATION LEVEL READ COMMITTED",
    }
}
