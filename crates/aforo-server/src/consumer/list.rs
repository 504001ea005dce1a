//! `aforo consumer list`.

use aforo::registry::{ConsumerFilter, RegisteredConsumer};
use clap::Args;
use serde_json::json;

use super::create::of_consumer;
use super::failure::Failure;
use super::report::{Report, or_dash, table};
use super::session::{Session, text_if_any};
use super::when;

pub(super) const EXAMPLE: &str = "\
Example:
  aforo consumer list --plan pro --limit 50 --registry sqlite:consumers.db";

#[derive(Args, Debug)]
pub(super) struct List {
    /// Those of a plan
    #[arg(long)]
    plan: Option<String>,

    /// Those of a team
    #[arg(long)]
    team: Option<String>,

    /// Those of an organisation
    #[arg(long)]
    org: Option<String>,

    /// Those whose ids come after this one: the next page
    #[arg(long, value_name = "ID")]
    after: Option<String>,

    /// At most so many
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
}

impl List {
    pub(super) async fn run(&self, session: &Session) -> Result<Report, Failure> {
        let plan = self.plan.as_deref();
        let team = self.team.as_deref();
        let filter = ConsumerFilter {
            plan: plan.map(|plan| session.plan(plan)).transpose()?,
            team: team.map(|team| session.team(team)).transpose()?,
            org: text_if_any("--org", self.org.as_deref())?,
            after: text_if_any("--after", self.after.as_deref())?,
        };
        // One more tells whether there are more.
        let most = self.limit.saturating_add(1);
        let mut found = session.registry.list(&filter, most).await?;
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| more).map(|last| last.id.as_str());
        Ok(Report {
            text: for_people(&found, next),
            json: json!({
                "consumers": found.iter().map(of_consumer).collect::<Vec<_>>(),
                "next": next,
            }),
        })
    }
}

fn for_people(found: &[RegisteredConsumer], next: Option<&str>) -> String {
    if found.is_empty() {
        return "no consumers".to_owned();
    }
    let rows = found.iter().map(|one| {
        [
            one.id.clone(),
            or_dash(one.plan.as_deref()),
            or_dash(one.team.as_deref()),
            or_dash(one.org.as_deref()),
            or_dash(one.contact.as_deref()),
            when::shown(one.created),
        ]
    });
    let mut text = table(["id", "plan", "team", "org", "contact", "created"], rows);
    if let Some(next) = next {
        text.push_str(&format!("there are more: --after {next:?}\n"));
    }
    text.trim_end().to_owned()
}
