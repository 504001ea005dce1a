//! `aforo consumer set-plan`.

use clap::Args;

use super::create::of_consumer;
use super::failure::Failure;
use super::report::Report;
use super::session::{Session, text};

pub(super) const EXAMPLE: &str = "\
Example:
  aforo consumer set-plan acme enterprise --file aforo.toml
  aforo consumer set-plan acme --default --file aforo.toml";

#[derive(Args, Debug)]
pub(super) struct SetPlan {
    /// The consumer's id
    id: String,

    /// The plan
    #[arg(required_unless_present = "default")]
    plan: Option<String>,

    /// The file's default_plan instead
    #[arg(long, conflicts_with = "plan")]
    default: bool,
}

impl SetPlan {
    pub(super) async fn run(&self, session: &Session) -> Result<Report, Failure> {
        let id = text("the id", &self.id)?;
        let plan = self.plan.as_deref().map(|plan| session.plan(plan));
        let plan = plan.transpose()?;
        let set = session
            .registry
            .set_plan(&id, plan.as_ref(), &session.author);
        let changed = set.await?;
        let plan = changed.plan.as_deref().unwrap_or("the default plan");
        Ok(Report {
            text: format!("consumer {} has {plan}", changed.id),
            json: of_consumer(&changed),
        })
    }
}
