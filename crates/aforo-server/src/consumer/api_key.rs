//! `aforo consumer issue-key`, `revoke-key` and `rotate-key`.

use aforo::registry::ApiKeyId;
use clap::Args;
use serde_json::json;

use super::failure::Failure;
use super::report::{Report, with};
use super::session::{Session, text, text_if_any};
use super::show::of_key;
use super::when::{self, Edge};

pub(super) const ISSUE: &str = "\
Example:
  aforo consumer issue-key acme --label ci --expires 90d --registry sqlite:consumers.db

The key is the only line on standard output, so that it can be piped into a secret store. The
registry keeps its SHA-256 alone: nobody can show it again.";

pub(super) const REVOKE: &str = "\
Example:
  aforo consumer revoke-key aforo_9c2k7mwd4x8p --registry sqlite:consumers.db

The key is named by its public id, as `aforo consumer show` lists it; a whole key is understood
too. Running gateways refuse it when they have forgotten it, within `cache` of [identity.lookup]
(30 s).";

pub(super) const ROTATE: &str = "\
Example:
  aforo consumer rotate-key aforo_9c2k7mwd4x8p --grace 24h --registry sqlite:consumers.db";

#[derive(Args, Debug)]
pub(super) struct Issue {
    /// The consumer's id
    id: String,

    /// What it is for
    #[arg(long)]
    label: Option<String>,

    /// When it ends: a day, an instant, or a length of time from now; never if left out
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
}

#[derive(Args)]
pub(super) struct Revoke {
    /// The API key's public id
    key: String,
}

#[derive(Args)]
pub(super) struct Rotate {
    /// The API key's public id
    key: String,

    /// How long the old key is accepted yet
    #[arg(long, value_name = "TIME", default_value = "24h")]
    grace: String,

    /// When the new key ends: a day, an instant, or a length of time from now; never if left out
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
}

impl Issue {
    pub(super) async fn run(&self, session: &Session) -> Result<Report, Failure> {
        let id = text("the id", &self.id)?;
        let label = text_if_any("--label", self.label.as_deref())?;
        let expires = expires(self.expires.as_deref(), session)?;
        let issue = session
            .registry
            .issue_key(&id, label.as_ref(), expires, &session.author);
        let (issued, record) = issue.await?;
        eprintln!("this API key of {id} is shown now and never again:");
        Ok(Report {
            text: issued.reveal().to_owned(),
            json: with(of_key(&record, session.now), "api_key", issued.reveal()),
        })
    }
}

impl Revoke {
    pub(super) async fn run(&self, session: &Session) -> Result<Report, Failure> {
        let id = id(&self.key)?;
        let revoked = session.registry.revoke_key(&id, &session.author).await?;
        Ok(Report {
            text: format!("{id} of {} is revoked", revoked.consumer),
            json: of_key(&revoked, session.now),
        })
    }
}

impl Rotate {
    pub(super) async fn run(&self, session: &Session) -> Result<Report, Failure> {
        let id = id(&self.key)?;
        let grace = when::length("--grace", &self.grace, session.now)?;
        let expires = expires(self.expires.as_deref(), session)?;
        let rotate = session
            .registry
            .rotate_key(&id, grace, expires, &session.author);
        let rotated = rotate.await?;
        let end = rotated.old.expires.map(when::shown).unwrap_or_default();
        let consumer = &rotated.new.consumer;
        eprintln!(
            "{id} is accepted until {end}; this new API key of {consumer} is shown now and never \
             again:"
        );
        let new = of_key(&rotated.new, session.now);
        let new = with(new, "api_key", rotated.issued.reveal());
        Ok(Report {
            text: rotated.issued.reveal().to_owned(),
            json: json!({ "new": new, "old": of_key(&rotated.old, session.now) }),
        })
    }
}

fn id(written: &str) -> Result<ApiKeyId, Failure> {
    ApiKeyId::of(written).ok_or_else(|| Failure::Argument {
        argument: "the API key",
        // What was written may be a secret of somebody else.
        problem: "this names no API key of the registry".to_owned(),
        expected: "its public id, such as aforo_9c2k7mwd4x8p".to_owned(),
    })
}

fn expires(
    written: Option<&str>,
    session: &Session,
) -> Result<Option<aforo::core::Timestamp>, Failure> {
    let Some(written) = written else {
        return Ok(None);
    };
    let instant = when::instant("--expires", written, Edge::End, session.now)?;
    match instant > session.now {
        true => Ok(Some(instant)),
        false => Err(Failure::Argument {
            argument: "--expires",
            problem: format!("`{written}` is over"),
            expected: "an instant to come".to_owned(),
        }),
    }
}

impl std::fmt::Debug for Revoke {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Revoke(..)")
    }
}

impl std::fmt::Debug for Rotate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rotate(..)")
    }
}
