//! `aforo consumer override`.

use aforo::core::PolicyName;
use aforo::registry::{NewOverride, Text};
use aforo_policy::file::QuotaTextError;
use clap::Args;
use serde_json::json;

use super::failure::Failure;
use super::report::{Report, with};
use super::session::{Session, text, text_if_any};
use super::show::of_override;
use super::when::{self, Edge};

pub(super) const EXAMPLE: &str = "\
Example:
  aforo consumer override acme pro-minute \"2000/minute burst 400\" --until 2027-01-31 \\
      --reason launch --file aforo.toml
  aforo consumer override acme pro-minute --end --file aforo.toml

A new override ends the one that holds when it starts. --until 2027-01-31 takes in the whole day
(UTC).";

#[derive(Args, Debug)]
pub(super) struct Override {
    /// The consumer's id
    id: String,

    /// The policy; it has to count by caller or consumer
    policy: String,

    /// The quota in its place
    #[arg(required_unless_present = "end")]
    quota: Option<String>,

    /// From when on: a day, an instant, or a length of time from now; now if left out
    #[arg(long, value_name = "WHEN", conflicts_with = "end")]
    from: Option<String>,

    /// Until when: a day, an instant, or a length of time from now; for good if left out
    #[arg(long, value_name = "WHEN", conflicts_with = "end")]
    until: Option<String>,

    /// Why
    #[arg(long, conflicts_with = "end")]
    reason: Option<String>,

    /// Ends what the consumer has negotiated for the policy
    #[arg(long, conflicts_with = "quota")]
    end: bool,
}

impl Override {
    pub(super) async fn run(&self, session: &Session) -> Result<Report, Failure> {
        let id = text("the id", &self.id)?;
        let policy = session.policy(&self.policy)?;
        match &self.quota {
            Some(quota) => self.set(session, &id, policy, quota).await,
            None => end(session, &id, &policy).await,
        }
    }

    async fn set(
        &self,
        session: &Session,
        id: &Text,
        policy: PolicyName,
        quota: &str,
    ) -> Result<Report, Failure> {
        session.check_quota(&policy, quota)?;
        let instant = |argument, written: &Option<String>, edge| {
            let written = written.as_deref();
            let instant = written.map(|one| when::instant(argument, one, edge, session.now));
            instant.transpose()
        };
        let new = NewOverride {
            policy,
            quota: quota
                .parse()
                .map_err(|error: QuotaTextError| Failure::Quota(error.to_string()))?,
            starts: instant("--from", &self.from, Edge::Start)?,
            ends: instant("--until", &self.until, Edge::End)?,
            reason: text_if_any("--reason", self.reason.as_deref())?,
        };
        let set = session.registry.set_override(id, &new, &session.author);
        let set = set.await?;
        let until = match set.ends {
            Some(ends) => format!("until {}", when::shown(ends)),
            None => "for good".to_owned(),
        };
        let from = when::shown(set.starts);
        let json = with(of_override(&set, session.now), "consumer", id.as_str());
        Ok(Report {
            text: format!("{id}: {} is {} from {from} {until}", set.policy, set.quota),
            json,
        })
    }
}

async fn end(session: &Session, id: &Text, policy: &PolicyName) -> Result<Report, Failure> {
    let end = session.registry.end_override(id, policy, &session.author);
    let ended = end.await?;
    Ok(Report {
        text: format!("{id}: {policy} is what the file says again"),
        json: json!({ "consumer": id.as_str(), "policy": policy.as_str(), "ended": ended }),
    })
}
