//! PostgreSQL: a server for many machines.

use std::str::FromStr;
use std::sync::Arc;

use aforo_core::Timestamp;
use sqlx::postgres::{PgConnectOptions, PgRow};
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection, Row as _};

use super::failure::Failure;
use super::preparation::{Preparation, Tables};
use super::row::{Found, Key, Row};
use super::schema::{self, Schema};
use super::session::{Database, Loaded, Session};
use crate::{OpenError, Remote};

const MIGRATIONS: [&str; 1] = [include_str!("migrations/postgres/1.sql")];

/// A database on a server.
#[derive(Clone)]
pub(super) struct Postgres {
    options: PgConnectOptions,
    preparation: Preparation,
    statements: Arc<Statements>,
    settings: String,
}

struct Statements {
    lock: Arc<str>,
    read: Arc<str>,
    create: Arc<str>,
    write: Arc<str>,
    remove: Arc<str>,
    reclaim: Arc<str>,
}

/// A connection to it.
pub(super) struct PostgresSession {
    connection: PgConnection,
    statements: Arc<Statements>,
}

impl Postgres {
    /// The server and database of a `postgres:` url.
    pub(super) fn open(remote: &Remote) -> Result<Self, OpenError> {
        let options = PgConnectOptions::from_str(&remote.url).map_err(|_| OpenError::Url {
            // The error could show a part of the password.
            problem: "it is no url of a PostgreSQL database".to_owned(),
            expected: "postgres://USER:PASSWORD@HOST:PORT/DATABASE, with ?sslmode=verify-full \
                       for TLS",
        })?;
        let preparation = Preparation::new(remote, &MIGRATIONS)?;
        let millis = remote.timeout.as_millis().max(1);
        Ok(Self {
            options: options.disable_statement_logging(),
            statements: Arc::new(Statements::new(&preparation.schema)),
            preparation,
            // An instance that stands still in the middle of a transaction lets go of its locks.
            settings: format!(
                "SET statement_timeout = {millis}; \
                 SET idle_in_transaction_session_timeout = {}",
                millis.saturating_mul(2).max(1_000)
            ),
        })
    }

    async fn session(self) -> Result<PostgresSession, Failure> {
        let mut connection = self.options.connect().await?;
        self.preparation.prepare(&mut connection).await?;
        connection.run(self.settings).await?;
        Ok(PostgresSession {
            connection,
            statements: self.statements,
        })
    }
}

impl Tables for PgConnection {
    async fn has(&mut self, table: String) -> Result<bool, Failure> {
        // Not to_regclass: a session remembers that there was no such table.
        let found = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_class \
             WHERE relname = $1 AND pg_catalog.pg_table_is_visible(oid))",
        )
        .bind(table)
        .fetch_one(self)
        .await?;
        Ok(found)
    }

    async fn numbers(&mut self, select: String) -> Result<Vec<(String, i64)>, Failure> {
        let select = sqlx::query_as(AssertSqlSafe(select));
        Ok(select.fetch_all(self).await?)
    }

    async fn begin_alone(&mut self, schema: &Schema) -> Result<(), Failure> {
        let begin = "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock";
        self.run(format!("{begin}({})", schema.lock())).await
    }

    async fn run(&mut self, sql: String) -> Result<(), Failure> {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(self).await?;
        Ok(())
    }
}

impl Database for Postgres {
    type Session = PostgresSession;

    fn connect(&self) -> impl Future<Output = Result<PostgresSession, Failure>> + Send + 'static {
        self.clone().session()
    }
}

/// The keys that a statement is about, each once.
const KEYS: &str = "unnest($1::bytea[], $2::smallint[], $3::bigint[]) AS k(partition, kind, tag)";
/// The server's time in microseconds, when a row is put out rather than when the statement began.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now";

impl Statements {
    fn new(schema: &Schema) -> Self {
        let sql = |template: String| Arc::from(schema.sql(&template));
        let counters = "\"{namespace}_counters\"";
        Self {
            // Rows leave the inner query in order, each when it is locked: the last one's time
            // is a time at which all are.
            lock: sql(format!(
                "WITH locked AS MATERIALIZED (SELECT c.partition, c.kind, c.tag, c.state, \
                 c.expires FROM {counters} c JOIN {KEYS} USING (partition, kind, tag) \
                 ORDER BY c.partition, c.kind, c.tag FOR UPDATE OF c) \
                 SELECT partition, kind, tag, state, expires, {NOW} FROM locked"
            )),
            read: sql(format!(
                "SELECT k.partition, k.kind, k.tag, c.state, coalesce(c.expires, 0) AS expires, \
                 {NOW} FROM {KEYS} LEFT JOIN {counters} c USING (partition, kind, tag)"
            )),
            create: sql(format!(
                "INSERT INTO {counters} (partition, kind, tag, policy, consumer) \
                 SELECT * FROM unnest($1::bytea[], $2::smallint[], $3::bigint[], $4::text[], \
                 $5::text[]) AS k(partition, kind, tag, policy, consumer) \
                 ORDER BY partition, kind, tag ON CONFLICT DO NOTHING"
            )),
            write: sql(format!(
                "INSERT INTO {counters} AS c (partition, kind, tag, policy, consumer, state, \
                 used, capacity, period_start, period_end, as_of, expires) \
                 SELECT * FROM unnest($1::bytea[], $2::smallint[], $3::bigint[], $4::text[], \
                 $5::text[], $6::bytea[], $7::bigint[], $8::bigint[], $9::bigint[], \
                 $10::bigint[], $11::bigint[], $12::bigint[]) {}",
                schema::UPSERT
            )),
            remove: sql(format!(
                "DELETE FROM {counters} c USING {KEYS} WHERE c.partition = k.partition \
                 AND c.kind = k.kind AND c.tag = k.tag"
            )),
            // What another transaction holds is not waited for.
            reclaim: sql(format!(
                "DELETE FROM {counters} WHERE ctid = ANY (ARRAY (SELECT ctid FROM {counters} \
                 WHERE expires < $1 ORDER BY expires LIMIT $2 FOR UPDATE SKIP LOCKED))"
            )),
        }
    }
}

impl PostgresSession {
    async fn raw(&mut self, sql: &'static str) -> Result<(), Failure> {
        sqlx::raw_sql(sql).execute(&mut self.connection).await?;
        Ok(())
    }

    async fn load(&mut self, sql: Arc<str>, keys: &[Key]) -> Result<Loaded, Failure> {
        let (partitions, kinds, tags) = columns(keys.iter());
        let rows = sqlx::query(AssertSqlSafe(sql))
            .bind(partitions)
            .bind(kinds)
            .bind(tags)
            .fetch_all(&mut self.connection)
            .await?;
        let mut loaded = Loaded {
            rows: Vec::with_capacity(rows.len()),
            now: None,
        };
        for row in rows {
            let now: i64 = row.try_get("now")?;
            let now = Timestamp::from_micros(now.unsigned_abs());
            loaded.now = loaded.now.max(Some(now));
            loaded.rows.push(found(&row)?);
        }
        Ok(loaded)
    }
}

/// Keys by column.
fn columns<'k>(keys: impl Iterator<Item = &'k Key>) -> (Vec<&'k [u8]>, Vec<i16>, Vec<i64>) {
    let mut columns = (Vec::new(), Vec::new(), Vec::new());
    for key in keys {
        columns.0.push(key.partition.as_slice());
        columns.1.push(key.kind);
        columns.2.push(key.tag);
    }
    columns
}

impl Session for PostgresSession {
    async fn begin(&mut self) -> Result<(), Failure> {
        // Rows are locked before they are read, so more isolation would only fail.
        self.raw("BEGIN ISOLATION LEVEL READ COMMITTED").await
    }

    async fn lock(&mut self, keys: &[Key]) -> Result<Loaded, Failure> {
        self.load(Arc::clone(&self.statements.lock), keys).await
    }

    async fn create(&mut self, rows: &[Row]) -> Result<bool, Failure> {
        self.raw("ROLLBACK; BEGIN ISOLATION LEVEL READ COMMITTED")
            .await?;
        let (partitions, kinds, tags) = columns(rows.iter().map(|row| &row.key));
        let policies: Vec<&str> = rows.iter().map(|row| row.policy.as_str()).collect();
        let consumers: Vec<_> = rows.iter().map(|row| row.consumer.as_deref()).collect();
        sqlx::query(AssertSqlSafe(Arc::clone(&self.statements.create)))
            .bind(partitions)
            .bind(kinds)
            .bind(tags)
            .bind(policies)
            .bind(consumers)
            .execute(&mut self.connection)
            .await?;
        Ok(true)
    }

    async fn read(&mut self, keys: &[Key]) -> Result<Loaded, Failure> {
        self.load(Arc::clone(&self.statements.read), keys).await
    }

    async fn write(&mut self, rows: &[Row]) -> Result<(), Failure> {
        let (partitions, kinds, tags) = columns(rows.iter().map(|row| &row.key));
        let policies: Vec<&str> = rows.iter().map(|row| row.policy.as_str()).collect();
        let consumers: Vec<_> = rows.iter().map(|row| row.consumer.as_deref()).collect();
        let states: Vec<_> = rows.iter().map(|row| row.state.as_deref()).collect();
        let numbers = |of: fn(&Row) -> i64| rows.iter().map(of).collect::<Vec<i64>>();
        sqlx::query(AssertSqlSafe(Arc::clone(&self.statements.write)))
            .bind(partitions)
            .bind(kinds)
            .bind(tags)
            .bind(policies)
            .bind(consumers)
            .bind(states)
            .bind(numbers(|row| row.used))
            .bind(numbers(|row| row.capacity))
            .bind(numbers(|row| row.period_start))
            .bind(numbers(|row| row.period_end))
            .bind(numbers(|row| row.as_of))
            .bind(numbers(|row| row.expires))
            .execute(&mut self.connection)
            .await?;
        Ok(())
    }

    async fn remove(&mut self, keys: &[Key]) -> Result<(), Failure> {
        let (partitions, kinds, tags) = columns(keys.iter());
        sqlx::query(AssertSqlSafe(Arc::clone(&self.statements.remove)))
            .bind(partitions)
            .bind(kinds)
            .bind(tags)
            .execute(&mut self.connection)
            .await?;
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

fn found(row: &PgRow) -> Result<Found, Failure> {
    Ok(Found {
        key: Key {
            partition: row.try_get("partition")?,
            kind: row.try_get("kind")?,
            tag: row.try_get("tag")?,
        },
        state: row.try_get("state")?,
        expires: row.try_get("expires")?,
    })
}
