//! The tables, and how those of an older version become the newest.

use super::Connection;
use super::place::Failure;
use crate::registry::RegistryError;

/// What brings the tables from each version to the next; the first from nothing.
const MIGRATIONS: [&str; 2] = [
    include_str!("../migrations/1.sql"),
    include_str!("../migrations/2.sql"),
];

/// A number that stands for the registry among PostgreSQL's advisory locks: "aforo" in ASCII.
#[cfg(feature = "registry-postgres")]
const LOCK: i64 = 0x0061_666f_726f;

/// Brings the tables to the newest version, whoever comes first.
pub(super) async fn bring_up_to_date(connection: &mut Connection) -> Result<(), Failure> {
    if version(connection).await? == newest() {
        return Ok(());
    }
    lock(connection).await?;
    // Another program may have been faster.
    let found = version(connection).await?;
    if let Some(sql) = migration(found, connection) {
        connection.script(sql).await?;
    }
    connection.script("COMMIT".to_owned()).await?;
    Ok(())
}

/// The version of the tables; 0 where there are none.
async fn version(connection: &mut Connection) -> Result<usize, Failure> {
    let is_there = match connection {
        #[cfg(feature = "registry-sqlite")]
        Connection::Sqlite(_) => "SELECT 1 FROM sqlite_schema WHERE name = 'aforo_registry'",
        #[cfg(feature = "registry-postgres")]
        Connection::Postgres(_) => {
            "SELECT 1 FROM pg_catalog.pg_class WHERE relname = 'aforo_registry' \
             AND pg_catalog.pg_table_is_visible(oid)"
        }
    };
    if connection.rows(is_there, &[]).await?.is_empty() {
        return Ok(0);
    }
    let rows = connection.rows("SELECT version FROM aforo_registry", &[]);
    let version = match rows.await?.first() {
        Some(row) => row.number("version")?,
        None => 0,
    };
    let version = usize::try_from(version).unwrap_or(usize::MAX);
    match version > newest() {
        true => Err(RegistryError::NewerTables.into()),
        false => Ok(version),
    }
}

const fn newest() -> usize {
    MIGRATIONS.len()
}

/// Begins a transaction that excludes others that do the same.
async fn lock(connection: &mut Connection) -> Result<(), Failure> {
    let sql = match connection {
        #[cfg(feature = "registry-sqlite")]
        Connection::Sqlite(_) => "BEGIN IMMEDIATE".to_owned(),
        #[cfg(feature = "registry-postgres")]
        Connection::Postgres(_) => {
            format!("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock({LOCK})")
        }
    };
    Ok(connection.script(sql).await?)
}

/// What brings tables of this version to the newest.
fn migration(found: usize, connection: &Connection) -> Option<String> {
    let missing = MIGRATIONS
        .get(found..)
        .filter(|missing| !missing.is_empty())?;
    let serial = match connection {
        #[cfg(feature = "registry-sqlite")]
        Connection::Sqlite(_) => "INTEGER",
        #[cfg(feature = "registry-postgres")]
        Connection::Postgres(_) => "BIGINT GENERATED ALWAYS AS IDENTITY",
    };
    let version = match found {
        0 => format!(
            "CREATE TABLE aforo_registry (version BIGINT NOT NULL);\n\
             INSERT INTO aforo_registry VALUES ({});",
            newest()
        ),
        _ => format!("UPDATE aforo_registry SET version = {};", newest()),
    };
    Some(missing.join("\n").replace("{serial}", serial) + &version)
}
