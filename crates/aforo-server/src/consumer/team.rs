//! `aforo consumer set-team`.

use clap::Args;

use super::create::of_consumer;
use super::failure::Failure;
use super::report::{Report, or_dash};
use super::session::{Session, text, text_if_any};

pub(super) const EXAMPLE: &str = "\
Example:
  aforo consumer set-team acme blue --org \"Acme Inc.\" --file aforo.toml
  aforo consumer set-team acme --none --registry sqlite:consumers.db";

#[derive(Args, Debug)]
pub(super) struct SetTeam {
    /// The consumer's id
    id: String,

    /// The team, which is created if need be
    #[arg(required_unless_present_any = ["org", "none"])]
    team: Option<String>,

    /// The organisation: of the team, or of the consumer if it has no team
    #[arg(long)]
    org: Option<String>,

    /// Neither team nor organisation
    #[arg(long, conflicts_with_all = ["team", "org"])]
    none: bool,
}

impl SetTeam {
    pub(super) async fn run(&self, session: &Session) -> Result<Report, Failure> {
        let id = text("the id", &self.id)?;
        let team = self.team.as_deref().map(|team| session.team(team));
        let (team, org) = (
            team.transpose()?,
            text_if_any("--org", self.org.as_deref())?,
        );
        let set = session
            .registry
            .set_team(&id, team.as_ref(), org.as_ref(), &session.author);
        let changed = set.await?;
        Ok(Report {
            text: format!(
                "consumer {}: team {}, organisation {}",
                changed.id,
                or_dash(changed.team.as_deref()),
                or_dash(changed.org.as_deref())
            ),
            json: of_consumer(&changed),
        })
    }
}
