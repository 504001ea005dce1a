//! A connection to either database, asked in the same words.

use sqlx::{AssertSqlSafe, Error};
#[cfg(feature = "registry-postgres")]
use sqlx::{PgConnection, postgres::PgRow};
#[cfg(feature = "registry-sqlite")]
use sqlx::{SqliteConnection, sqlite::SqliteRow};

use crate::registry::RegistryError;

/// A connection. Statements number their arguments `$1`, which both databases read.
#[derive(Debug)]
pub(in crate::registry) enum Connection {
    #[cfg(feature = "registry-sqlite")]
    Sqlite(SqliteConnection),
    #[cfg(feature = "registry-postgres")]
    Postgres(PgConnection),
}

/// What stands for `$1` and so on.
#[derive(Clone, Copy, Debug)]
pub(in crate::registry) enum Argument<'a> {
    Number(Option<i64>),
    Text(Option<&'a str>),
}

/// A row.
pub(in crate::registry) enum Row {
    #[cfg(feature = "registry-sqlite")]
    Sqlite(SqliteRow),
    #[cfg(feature = "registry-postgres")]
    Postgres(PgRow),
}

macro_rules! on_either {
    ($either:ident, $kind:expr, $inner:ident => $answer:expr) => {
        match $kind {
            #[cfg(feature = "registry-sqlite")]
            $either::Sqlite($inner) => $answer,
            #[cfg(feature = "registry-postgres")]
            $either::Postgres($inner) => $answer,
        }
    };
}

macro_rules! query {
    ($sql:expr, $arguments:expr) => {{
        let mut query = sqlx::query($sql);
        for argument in $arguments {
            query = match *argument {
                Argument::Number(number) => query.bind(number),
                Argument::Text(text) => query.bind(text),
            };
        }
        query
    }};
}

impl Connection {
    /// Runs a statement; how many rows it changed.
    pub(in crate::registry) async fn run(
        &mut self,
        sql: &'static str,
        arguments: &[Argument<'_>],
    ) -> Result<u64, Error> {
        on_either!(Self, self, connection => {
            let done = query!(sql, arguments).execute(connection).await?;
            Ok(done.rows_affected())
        })
    }

    /// The rows of a query.
    pub(in crate::registry) async fn rows(
        &mut self,
        sql: &'static str,
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Row>, Error> {
        match self {
            #[cfg(feature = "registry-sqlite")]
            Self::Sqlite(connection) => {
                let rows = query!(sql, arguments).fetch_all(connection).await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
            #[cfg(feature = "registry-postgres")]
            Self::Postgres(connection) => {
                let rows = query!(sql, arguments).fetch_all(connection).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    /// Runs statements without arguments.
    pub(in crate::registry) async fn script(&mut self, sql: String) -> Result<(), Error> {
        let script = sqlx::raw_sql(AssertSqlSafe(sql));
        on_either!(Self, self, connection => script.execute(connection).await.map(drop))
    }
}

impl Row {
    /// A text of the row.
    pub(in crate::registry) fn text(&self, column: &str) -> Result<String, RegistryError> {
        on_either!(Self, self, row => sqlx::Row::try_get(row, column))
            .map_err(|_| unreadable(column))
    }

    /// A text that may be missing.
    pub(in crate::registry) fn text_if_any(
        &self,
        column: &str,
    ) -> Result<Option<String>, RegistryError> {
        on_either!(Self, self, row => sqlx::Row::try_get(row, column))
            .map_err(|_| unreadable(column))
    }

    /// A number of the row.
    pub(in crate::registry) fn number(&self, column: &str) -> Result<i64, RegistryError> {
        on_either!(Self, self, row => sqlx::Row::try_get(row, column))
            .map_err(|_| unreadable(column))
    }

    /// A number that may be missing.
    pub(in crate::registry) fn number_if_any(
        &self,
        column: &str,
    ) -> Result<Option<i64>, RegistryError> {
        on_either!(Self, self, row => sqlx::Row::try_get(row, column))
            .map_err(|_| unreadable(column))
    }
}

fn unreadable(column: &str) -> RegistryError {
    RegistryError::Unavailable(format!("a row's {column} cannot be read"))
}

impl<'a> From<&'a str> for Argument<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Some(text))
    }
}

impl<'a> From<Option<&'a str>> for Argument<'a> {
    fn from(text: Option<&'a str>) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Argument<'_> {
    fn from(number: i64) -> Self {
        Self::Number(Some(number))
    }
}

impl From<Option<i64>> for Argument<'_> {
    fn from(number: Option<i64>) -> Self {
        Self::Number(number)
    }
}
