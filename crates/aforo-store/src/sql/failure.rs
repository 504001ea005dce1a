//! What can go wrong with a transaction, and what to do then.

use sqlx::Error;

use crate::StoreError;

/// A transaction that was not committed.
#[derive(Debug)]
pub(super) enum Failure {
    /// Another transaction was in the way: it can be tried again on the same connection.
    Conflict,
    /// The connection is of no use any more.
    Broken(String),
    /// The store fails.
    Store(StoreError),
}

impl Failure {
    /// Bytes that are not a counter, or tables that are not ours.
    pub(super) fn nonsense(what: &str) -> Self {
        Self::Store(StoreError::Unavailable(what.to_owned()))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Conflict => {
                Self::Unavailable("too many transactions on the same counters".to_owned())
            }
            Failure::Broken(problem) => Self::Unavailable(problem),
            Failure::Store(error) => error,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let Error::Database(database) = &error else {
            return Self::Broken(error.to_string());
        };
        let code = database.code().unwrap_or_default();
        match code.as_ref() {
            // PostgreSQL: serialization failure, deadlock.
            "40001" | "40P01" => Self::Conflict,
            // Its statement_timeout.
            "57014" => Self::Store(StoreError::Timeout),
            // A server that shuts down, or became a standby.
            "57P01" | "57P02" | "57P03" | "25006" => Self::Broken(error.to_string()),
            code if is_busy(code) => Self::Conflict,
            _ => Self::Store(StoreError::Unavailable(error.to_string())),
        }
    }
}

/// SQLite's SQLITE_BUSY and SQLITE_LOCKED, with whatever is above the lowest byte.
fn is_busy(code: &str) -> bool {
    let number = code.parse::<u32>().ok().filter(|_| code.len() < 5);
    number.is_some_and(|number| matches!(number & 0xff, 5 | 6))
}
