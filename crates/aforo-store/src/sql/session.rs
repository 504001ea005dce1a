//! What the SQL store needs of a database.

use std::future::Future;

use aforo_core::Timestamp;

use super::failure::Failure;
use super::row::{Found, Key, Row};

/// A database to connect to.
pub(super) trait Database: Send + Sync + 'static {
    /// A connection to it.
    type Session: Session;

    /// Connects, brings the tables to the newest version and compares the fingerprint.
    fn connect(&self) -> impl Future<Output = Result<Self::Session, Failure>> + Send + 'static;
}

/// What was read: the rows, and the database's time where it has one.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) rows: Vec<Found>,
    pub(super) now: Option<Timestamp>,
}

/// A connection with the tables in place.
pub(super) trait Session: Send + 'static {
    /// Begins to write.
    fn begin(&mut self) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Locks those rows that are there, in order, and reads them.
    fn lock(&mut self, keys: &[Key]) -> impl Future<Output = Result<Loaded, Failure>> + Send;

    /// Where a row that is not there is not locked: creates and locks those that are not there,
    /// in order, in a transaction that begins anew, and says that all can be locked now.
    fn create(&mut self, rows: &[Row]) -> impl Future<Output = Result<bool, Failure>> + Send;

    /// Reads rows without locking them.
    fn read(&mut self, keys: &[Key]) -> impl Future<Output = Result<Loaded, Failure>> + Send;

    /// Writes rows.
    fn write(&mut self, rows: &[Row]) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Removes rows.
    fn remove(&mut self, keys: &[Key]) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Removes at most so many rows that expired before an instant.
    fn reclaim(
        &mut self,
        before: i64,
        most: i64,
    ) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Commits.
    fn commit(&mut self) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Rolls back.
    fn roll_back(&mut self) -> impl Future<Output = Result<(), Failure>> + Send;
}
