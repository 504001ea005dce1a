//! Who changed what, when.

use aforo_core::Timestamp;

use super::database::{Argument, Change, Row};
use super::instant::{instant_of, kept};
use super::{Registry, RegistryError, Text};

/// A line of the audit trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its number: entries are numbered in the order in which they were written.
    pub number: i64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub author: String,
    /// What was done: `create`, `issue-key` and so on.
    pub action: String,
    /// To which consumer.
    pub consumer: String,
    /// What changed, for people. Never an API key.
    pub detail: String,
}

/// Who changes something, and when.
pub(super) struct Signature<'a> {
    pub(super) at: Timestamp,
    pub(super) author: &'a Text,
}

impl Signature<'_> {
    /// Writes what was done into the trail, in the same transaction as the change.
    pub(super) async fn sign(
        &self,
        change: &mut Change<'_>,
        action: &'static str,
        consumer: &str,
        detail: &str,
    ) -> Result<(), RegistryError> {
        let arguments = [
            Argument::from(kept(self.at)),
            Argument::from(self.author.as_str()),
            Argument::from(action),
            Argument::from(consumer),
            Argument::from(detail),
        ];
        let insert = "INSERT INTO aforo_audit (at, author, action, consumer, detail) \
                      VALUES ($1, $2, $3, $4, $5)";
        change.run(insert, &arguments).await.map(drop)
    }
}

impl Registry {
    /// The audit trail, the newest first: all of it, or what was done to one consumer.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn audit(
        &self,
        consumer: Option<&Text>,
        most: u32,
    ) -> Result<Vec<AuditEntry>, RegistryError> {
        let consumer = consumer.map(Text::as_str);
        let most = i64::from(most);
        let rows = match consumer {
            Some(consumer) => {
                let select = "SELECT entry, at, author, action, consumer, detail FROM aforo_audit \
                              WHERE consumer = $1 ORDER BY entry DESC LIMIT $2";
                let arguments = [Argument::from(consumer), Argument::from(most)];
                self.database.rows(select, &arguments).await?
            }
            None => {
                let select = "SELECT entry, at, author, action, consumer, detail FROM aforo_audit \
                              ORDER BY entry DESC LIMIT $1";
                self.database.rows(select, &[Argument::from(most)]).await?
            }
        };
        rows.iter().map(AuditEntry::of).collect()
    }
}

impl AuditEntry {
    fn of(row: &Row) -> Result<Self, RegistryError> {
        Ok(Self {
            number: row.number("entry")?,
            at: instant_of(row.number("at")?),
            author: row.text("author")?,
            action: row.text("action")?,
            consumer: row.text("consumer")?,
            detail: row.text("detail")?,
        })
    }
}
