//! Consumers, their teams and organisations.

use aforo_core::Timestamp;

use super::database::{Argument, Change, Row};
use super::instant::{instant_of, kept};
use super::{Name, Registry, RegistryError, Text};

/// A consumer of the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredConsumer {
    /// Its id.
    pub id: String,
    /// For people.
    pub contact: Option<String>,
    /// Its plan; `None`: the file's `default_plan`.
    pub plan: Option<String>,
    /// Its team.
    pub team: Option<String>,
    /// Its organisation: its own, else its team's.
    pub org: Option<String>,
    /// When it was created.
    pub created: Timestamp,
}

/// A consumer to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewConsumer {
    /// Its id, unique.
    pub id: Text,
    /// For people.
    pub contact: Option<Text>,
    /// Its plan.
    pub plan: Option<Name>,
    /// Its team; a team that is not there is created.
    pub team: Option<Name>,
    /// Its organisation; one that is not there is created. With a team it is the team's.
    pub org: Option<Text>,
}

/// Which consumers are listed.
#[derive(Clone, Debug, Default)]
pub struct ConsumerFilter {
    /// Those of a plan.
    pub plan: Option<Name>,
    /// Those of a team.
    pub team: Option<Name>,
    /// Those of an organisation.
    pub org: Option<Text>,
    /// Those whose ids come after this one.
    pub after: Option<Text>,
}

impl NewConsumer {
    /// A consumer of which only the id is known.
    pub const fn new(id: Text) -> Self {
        Self {
            id,
            contact: None,
            plan: None,
            team: None,
            org: None,
        }
    }
}

impl Registry {
    /// Creates a consumer.
    ///
    /// # Errors
    /// When there is one of that id, its team belongs to another organisation, or the database
    /// fails.
    pub async fn create(
        &self,
        new: &NewConsumer,
        author: &Text,
    ) -> Result<RegisteredConsumer, RegistryError> {
        let signature = self.signature(author);
        let id = new.id.as_str();
        let created = self.database.within(async {
            let mut change = self.database.change().await?;
            let team = new.team.as_ref();
            join(&mut change, team, new.org.as_ref(), signature.at).await?;
            // With a team the organisation is the team's, so that it is written once.
            let org = new.org.as_ref().filter(|_| team.is_none());
            let arguments = [
                Argument::from(id),
                Argument::from(new.contact.as_ref().map(Text::as_str)),
                Argument::from(new.plan.as_ref().map(Name::as_str)),
                Argument::from(team.map(Name::as_str)),
                Argument::from(org.map(Text::as_str)),
                Argument::from(kept(signature.at)),
            ];
            let insert = "INSERT INTO aforo_consumers (id, contact, plan, team, org, created) \
                          VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
            if change.run(insert, &arguments).await? == 0 {
                return Err(RegistryError::ConsumerExists(id.to_owned()));
            }
            let detail = described(new);
            signature.sign(&mut change, "create", id, &detail).await?;
            let created = found(&mut change, id).await?;
            change.commit().await?;
            Ok(created)
        });
        created.await
    }

    /// A consumer by its id.
    ///
    /// # Errors
    /// When there is none, or the database fails.
    pub async fn consumer(&self, id: &Text) -> Result<RegisteredConsumer, RegistryError> {
        let arguments = [Argument::from(id.as_str())];
        let rows = self.database.rows(BY_ID, &arguments).await?;
        match rows.first() {
            Some(row) => RegisteredConsumer::of(row),
            None => Err(RegistryError::NoConsumer(id.to_string())),
        }
    }

    /// Consumers in the order of their ids.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(
        &self,
        filter: &ConsumerFilter,
        most: u32,
    ) -> Result<Vec<RegisteredConsumer>, RegistryError> {
        let arguments = [
            Argument::from(filter.after.as_ref().map_or("", Text::as_str)),
            Argument::from(filter.plan.as_ref().map(Name::as_str)),
            Argument::from(filter.team.as_ref().map(Name::as_str)),
            Argument::from(filter.org.as_ref().map(Text::as_str)),
            Argument::from(i64::from(most)),
        ];
        let rows = self.database.rows(LIST, &arguments).await?;
        rows.iter().map(RegisteredConsumer::of).collect()
    }

    /// Whether there is any consumer at all.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_consumers(&self) -> Result<bool, RegistryError> {
        let one = "SELECT 1 AS one FROM aforo_consumers LIMIT 1";
        Ok(!self.database.rows(one, &[]).await?.is_empty())
    }

    /// Gives a consumer a plan; `None`: the file's `default_plan`.
    ///
    /// # Errors
    /// When there is no such consumer, or the database fails.
    pub async fn set_plan(
        &self,
        id: &Text,
        plan: Option<&Name>,
        author: &Text,
    ) -> Result<RegisteredConsumer, RegistryError> {
        let signature = self.signature(author);
        let id = id.as_str();
        let changed = self.database.within(async {
            let mut change = self.database.change().await?;
            let before = found(&mut change, id).await?;
            let plan = plan.map(Name::as_str);
            let update = "UPDATE aforo_consumers SET plan = $2 WHERE id = $1";
            let arguments = [Argument::from(id), Argument::from(plan)];
            change.run(update, &arguments).await?;
            let detail = from_to("plan", before.plan.as_deref(), plan);
            signature.sign(&mut change, "set-plan", id, &detail).await?;
            let after = found(&mut change, id).await?;
            change.commit().await?;
            Ok(after)
        });
        changed.await
    }

    /// Puts a consumer into a team and an organisation, or into none.
    ///
    /// # Errors
    /// When there is no such consumer, the team belongs to another organisation, or the database
    /// fails.
    pub async fn set_team(
        &self,
        id: &Text,
        team: Option<&Name>,
        org: Option<&Text>,
        author: &Text,
    ) -> Result<RegisteredConsumer, RegistryError> {
        let signature = self.signature(author);
        let id = id.as_str();
        let changed = self.database.within(async {
            let mut change = self.database.change().await?;
            let before = found(&mut change, id).await?;
            join(&mut change, team, org, signature.at).await?;
            let own_org = org.filter(|_| team.is_none()).map(Text::as_str);
            let team = team.map(Name::as_str);
            let update = "UPDATE aforo_consumers SET team = $2, org = $3 WHERE id = $1";
            let arguments = [
                Argument::from(id),
                Argument::from(team),
                Argument::from(own_org),
            ];
            change.run(update, &arguments).await?;
            let after = found(&mut change, id).await?;
            let detail = [
                from_to("team", before.team.as_deref(), after.team.as_deref()),
                from_to("org", before.org.as_deref(), after.org.as_deref()),
            ];
            let detail = detail.join("; ");
            signature.sign(&mut change, "set-team", id, &detail).await?;
            change.commit().await?;
            Ok(after)
        });
        changed.await
    }
}

const BY_ID: &str = "SELECT c.id, c.contact, c.plan, c.team, coalesce(c.org, t.org) AS org, \
    c.created FROM aforo_consumers c LEFT JOIN aforo_teams t ON t.name = c.team WHERE c.id = $1";

const LIST: &str = "SELECT c.id, c.contact, c.plan, c.team, coalesce(c.org, t.org) AS org, \
    c.created FROM aforo_consumers c LEFT JOIN aforo_teams t ON t.name = c.team \
    WHERE c.id > $1 AND ($2 IS NULL OR c.plan = $2) AND ($3 IS NULL OR c.team = $3) \
    AND ($4 IS NULL OR coalesce(c.org, t.org) = $4) ORDER BY c.id LIMIT $5";

/// The consumer of a change, which nobody else changes meanwhile; an error when there is none.
pub(super) async fn found(
    change: &mut Change<'_>,
    id: &str,
) -> Result<RegisteredConsumer, RegistryError> {
    // Writing it locks it: SQLite has no FOR UPDATE, and needs none.
    let lock = "UPDATE aforo_consumers SET created = created WHERE id = $1";
    change.run(lock, &[Argument::from(id)]).await?;
    let rows = change.rows(BY_ID, &[Argument::from(id)]).await?;
    match rows.first() {
        Some(row) => RegisteredConsumer::of(row),
        None => Err(RegistryError::NoConsumer(id.to_owned())),
    }
}

/// Sees that the team and the organisation are there and belong together.
async fn join(
    change: &mut Change<'_>,
    team: Option<&Name>,
    org: Option<&Text>,
    now: Timestamp,
) -> Result<(), RegistryError> {
    let org = org.map(Text::as_str);
    if let Some(org) = org {
        let insert = "INSERT INTO aforo_orgs (name, created) VALUES ($1, $2) \
                      ON CONFLICT DO NOTHING";
        let arguments = [Argument::from(org), Argument::from(kept(now))];
        change.run(insert, &arguments).await?;
    }
    let Some(team) = team.map(Name::as_str) else {
        return Ok(());
    };
    let insert = "INSERT INTO aforo_teams (name, org, created) VALUES ($1, $2, $3) \
                  ON CONFLICT DO NOTHING";
    let new = [
        Argument::from(team),
        Argument::from(org),
        Argument::from(kept(now)),
    ];
    change.run(insert, &new).await?;
    let Some(org) = org else { return Ok(()) };
    let update = "UPDATE aforo_teams SET org = $2 WHERE name = $1 AND org IS NULL";
    let known = [Argument::from(team), Argument::from(org)];
    change.run(update, &known).await?;
    let select = "SELECT org FROM aforo_teams WHERE name = $1";
    let rows = change.rows(select, &[Argument::from(team)]).await?;
    let held = match rows.first() {
        Some(row) => row.text_if_any("org")?,
        None => None,
    };
    match held {
        Some(other) if other != org => Err(RegistryError::TeamOfAnotherOrg {
            team: team.to_owned(),
            org: other,
        }),
        _ => Ok(()),
    }
}

impl RegisteredConsumer {
    pub(super) fn of(row: &Row) -> Result<Self, RegistryError> {
        Ok(Self {
            id: row.text("id")?,
            contact: row.text_if_any("contact")?,
            plan: row.text_if_any("plan")?,
            team: row.text_if_any("team")?,
            org: row.text_if_any("org")?,
            created: instant_of(row.number("created")?),
        })
    }
}

fn described(new: &NewConsumer) -> String {
    let fields = [
        ("plan", new.plan.as_ref().map(Name::as_str)),
        ("team", new.team.as_ref().map(Name::as_str)),
        ("org", new.org.as_ref().map(Text::as_str)),
        ("contact", new.contact.as_ref().map(Text::as_str)),
    ];
    let fields = fields.into_iter();
    let fields: Vec<String> = fields
        .filter_map(|(name, value)| Some(format!("{name} {}", value?)))
        .collect();
    fields.join(", ")
}

fn from_to(what: &str, before: Option<&str>, after: Option<&str>) -> String {
    let (before, after) = (before.unwrap_or("none"), after.unwrap_or("none"));
    format!("{what} {before} → {after}")
}
