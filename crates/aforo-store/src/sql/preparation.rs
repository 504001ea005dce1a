//! Making the tables, and finding out whose they are.

use std::future::Future;

use super::failure::Failure;
use super::schema::{self, Schema};
use crate::{OpenError, Remote};

/// A connection on which tables can be made.
pub(super) trait Tables: Send {
    /// Whether a table of this name is there.
    fn has(&mut self, table: String) -> impl Future<Output = Result<bool, Failure>> + Send;

    /// The names and numbers of a table's rows.
    fn numbers(
        &mut self,
        select: String,
    ) -> impl Future<Output = Result<Vec<(String, i64)>, Failure>> + Send;

    /// Begins a transaction while no other instance makes the tables of this schema.
    fn begin_alone(&mut self, schema: &Schema) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Runs statements.
    fn run(&mut self, sql: String) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// The tables that a store needs, and whose they have to be.
#[derive(Clone, Debug)]
pub(super) struct Preparation {
    pub(super) schema: Schema,
    migrations: &'static [&'static str],
    fingerprint: u64,
}

impl Preparation {
    /// The tables of a namespace, made by these migrations.
    pub(super) fn new(
        remote: &Remote,
        migrations: &'static [&'static str],
    ) -> Result<Self, OpenError> {
        Ok(Self {
            schema: Schema::new(&remote.namespace)?,
            migrations,
            fingerprint: remote.fingerprint,
        })
    }

    /// Brings the tables to the newest version and compares the fingerprint.
    pub(super) async fn prepare(&self, tables: &mut impl Tables) -> Result<(), Failure> {
        if self.is_ready(tables).await? {
            return Ok(());
        }
        tables.begin_alone(&self.schema).await?;
        // Another instance may have been faster.
        if !self.is_ready(tables).await? {
            let sql = self.schema.migration(self.migrations, self.fingerprint);
            tables.run(sql).await?;
        }
        tables.run("COMMIT".to_owned()).await?;
        match self.is_ready(tables).await? {
            true => Ok(()),
            false => Err(Failure::nonsense("the tables of the store are not there")),
        }
    }

    /// Whether the tables are there in the newest version, with our fingerprint.
    async fn is_ready(&self, tables: &mut impl Tables) -> Result<bool, Failure> {
        if !tables.has(self.schema.sql("{namespace}_store")).await? {
            return Ok(false);
        }
        let settings = tables.numbers(self.schema.sql(schema::SETTINGS)).await?;
        schema::is_ready(&settings, self.fingerprint)
    }
}
