//! `aforo consumer create`.

use aforo::registry::{NewConsumer, RegisteredConsumer};
use clap::Args;
use serde_json::{Value, json};

use super::failure::Failure;
use super::report::Report;
use super::session::{Session, text, text_if_any};
use super::when;

pub(super) const EXAMPLE: &str = "\
Example:
  aforo consumer create acme --plan pro --team blue --org \"Acme Inc.\" --file aforo.toml";

#[derive(Args, Debug)]
pub(super) struct Create {
    /// Its id, which is unique and stays: 1 to 256 bytes
    id: String,

    /// Its plan; the file's default_plan if left out
    #[arg(long)]
    plan: Option<String>,

    /// Its team, which is created if need be
    #[arg(long)]
    team: Option<String>,

    /// Its organisation, which is created if need be; with a team, the team's
    #[arg(long)]
    org: Option<String>,

    /// Whom to write to
    #[arg(long)]
    contact: Option<String>,
}

impl Create {
    pub(super) async fn run(&self, session: &Session) -> Result<Report, Failure> {
        let plan = self.plan.as_deref();
        let team = self.team.as_deref();
        let new = NewConsumer {
            id: text("the id", &self.id)?,
            contact: text_if_any("--contact", self.contact.as_deref())?,
            plan: plan.map(|plan| session.plan(plan)).transpose()?,
            team: team.map(|team| session.team(team)).transpose()?,
            org: text_if_any("--org", self.org.as_deref())?,
        };
        let created = session.registry.create(&new, &session.author).await?;
        Ok(Report {
            text: format!(
                "consumer {} created; `aforo consumer issue-key` gives it an API key",
                created.id
            ),
            json: of_consumer(&created),
        })
    }
}

/// A consumer for programs.
pub(super) fn of_consumer(consumer: &RegisteredConsumer) -> Value {
    json!({
        "id": consumer.id,
        "plan": consumer.plan,
        "team": consumer.team,
        "org": consumer.org,
        "contact": consumer.contact,
        "created": when::json(Some(consumer.created)),
    })
}
