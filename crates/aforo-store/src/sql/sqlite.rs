//! SQLite: a file on one machine.

use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteRow, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Row as _, SqliteConnection};

use super::failure::Failure;
use super::preparation::{Preparation, Tables};
use super::row::{Found, Key, Row};
use super::schema::{self, Schema};
use super::session::{Database, Loaded, Session};
use crate::{OpenError, Remote, StoreError};

const MIGRATIONS: [&str; 1] = [include_str!("migrations/sqlite/1.sql")];

/// A database file.
#[derive(Clone)]
pub(super) struct Sqlite {
    options: SqliteConnectOptions,
    preparation: Preparation,
    statements: Arc<Statements>,
}

struct Statements {
    read: Arc<str>,
    write: Arc<str>,
    remove: Arc<str>,
    reclaim: Arc<str>,
}

/// A connection to it.
pub(super) struct SqliteSession {
    connection: SqliteConnection,
    statements: Arc<Statements>,
}

impl Sqlite {
    /// The file of a `sqlite:` url.
    pub(super) fn open(path: &str, remote: &Remote) -> Result<Self, OpenError> {
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() || path == ":memory:" {
            return Err(OpenError::Url {
                problem: "it names no file".to_owned(),
                expected: "sqlite:PATH, such as sqlite:/var/lib/aforo/quotas.db",
            });
        }
        let preparation = Preparation::new(remote, &MIGRATIONS)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(remote.timeout.max(Duration::from_millis(1)))
            .disable_statement_logging();
        Ok(Self {
            options,
            statements: Arc::new(Statements::new(&preparation.schema)),
            preparation,
        })
    }

    async fn session(self) -> Result<SqliteSession, Failure> {
        let mut connection = self.options.connect().await?;
        self.preparation.prepare(&mut connection).await?;
        Ok(SqliteSession {
            connection,
            statements: self.statements,
        })
    }
}

impl Tables for SqliteConnection {
    async fn has(&mut self, table: String) -> Result<bool, Failure> {
        let found: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?",
        )
        .bind(table)
        .fetch_one(self)
        .await?;
        Ok(found > 0)
    }

    async fn numbers(&mut self, select: String) -> Result<Vec<(String, i64)>, Failure> {
        let select = sqlx::query_as(AssertSqlSafe(select));
        Ok(select.fetch_all(self).await?)
    }

    async fn begin_alone(&mut self, _: &Schema) -> Result<(), Failure> {
        self.run("BEGIN IMMEDIATE".to_owned()).await
    }

    async fn run(&mut self, sql: String) -> Result<(), Failure> {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(self).await?;
        Ok(())
    }
}

impl Database for Sqlite {
    type Session = SqliteSession;

    fn connect(&self) -> impl Future<Output = Result<SqliteSession, Failure>> + Send + 'static {
        self.clone().session()
    }
}

impl Statements {
    fn new(schema: &Schema) -> Self {
        let sql = |template: &str| Arc::from(schema.sql(template));
        Self {
            read: sql("SELECT state, expires FROM \"{namespace}_counters\" \
                 WHERE partition = ? AND kind = ? AND tag = ?"),
            write: sql(&format!(
                "INSERT INTO \"{{namespace}}_counters\" AS c \
                 (partition, kind, tag, policy, consumer, state, used, capacity, period_start, \
                 period_end, as_of, expires) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) {}",
                schema::UPSERT
            )),
            remove: sql("DELETE FROM \"{namespace}_counters\" \
                         WHERE partition = ? AND kind = ? AND tag = ?"),
            reclaim: sql("DELETE FROM \"{namespace}_counters\" \
                 WHERE (partition, kind, tag) IN (SELECT partition, kind, tag \
                 FROM \"{namespace}_counters\" WHERE expires < ? ORDER BY expires LIMIT ?)"),
        }
    }
}

impl SqliteSession {
    async fn raw(&mut self, sql: &'static str) -> Result<(), Failure> {
        sqlx::raw_sql(sql).execute(&mut self.connection).await?;
        Ok(())
    }
}

impl Session for SqliteSession {
    async fn begin(&mut self) -> Result<(), Failure> {
        self.raw("BEGIN IMMEDIATE").await
    }

    async fn lock(&mut self, keys: &[Key]) -> Result<Loaded, Failure> {
        self.read(keys).await
    }

    async fn create(&mut self, _: &[Row]) -> Result<bool, Failure> {
        // The whole file is locked.
        Ok(false)
    }

    async fn read(&mut self, keys: &[Key]) -> Result<Loaded, Failure> {
        let mut rows = Vec::with_capacity(keys.len());
        for key in keys {
            let row = sqlx::query(AssertSqlSafe(Arc::clone(&self.statements.read)))
                .bind(key.partition.as_slice())
                .bind(key.kind)
                .bind(key.tag)
                .fetch_optional(&mut self.connection)
                .await?;
            if let Some(row) = row {
                rows.push(found(key, &row)?);
            }
        }
        Ok(Loaded { rows, now: None })
    }

    async fn write(&mut self, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            sqlx::query(AssertSqlSafe(Arc::clone(&self.statements.write)))
                .bind(row.key.partition.as_slice())
                .bind(row.key.kind)
                .bind(row.key.tag)
                .bind(row.policy.as_str())
                .bind(row.consumer.as_deref())
                .bind(row.state.as_deref())
                .bind(row.used)
                .bind(row.capacity)
                .bind(row.period_start)
                .bind(row.period_end)
                .bind(row.as_of)
                .bind(row.expires)
                .execute(&mut self.connection)
                .await?;
        }
        Ok(())
    }

    async fn remove(&mut self, keys: &[Key]) -> Result<(), Failure> {
        for key in keys {
            sqlx::query(AssertSqlSafe(Arc::clone(&self.statements.remove)))
                .bind(key.partition.as_slice())
                .bind(key.kind)
                .bind(key.tag)
                .execute(&mut self.connection)
                .await?;
        }
        Ok(())
    }

    async fn reclaim(&mut self, before: i64, most: i64) -> Result<(), Failure> {
        sqlx::query(AssertSqlSafe(Arc::clone(&self.statements.reclaim)))
            .bind(before)
            .bind(most)
            .execute(&mut self.connection)
            .await?;
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), Failure> {
        self.raw("COMMIT").await
    }

    async fn roll_back(&mut self) -> Result<(), Failure> {
        self.raw("ROLLBACK").await
    }
}

fn found(key: &Key, row: &SqliteRow) -> Result<Found, Failure> {
    let wrong = |_| Failure::Store(StoreError::Unavailable("a row cannot be read".to_owned()));
    Ok(Found {
        key: key.clone(),
        state: row.try_get("state").map_err(wrong)?,
        expires: row.try_get("expires").map_err(wrong)?,
    })
}
