//! `aforo consumer audit`.

use clap::Args;
use serde_json::{Value, json};

use super::failure::Failure;
use super::report::{Report, table};
use super::session::{Session, text_if_any};
use super::when;

pub(super) const EXAMPLE: &str = "\
Example:
  aforo consumer audit acme --limit 20 --registry sqlite:consumers.db";

#[derive(Args, Debug)]
pub(super) struct Audit {
    /// What was done to this consumer; everything if left out
    id: Option<String>,

    /// The newest so many
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
}

impl Audit {
    pub(super) async fn run(&self, session: &Session) -> Result<Report, Failure> {
        let id = text_if_any("the id", self.id.as_deref())?;
        let trail = session.registry.audit(id.as_ref(), self.limit).await?;
        let json: Vec<Value> = trail
            .iter()
            .map(|entry| {
                json!({
                    "at": when::json(Some(entry.at)),
                    "by": entry.author,
                    "action": entry.action,
                    "consumer": entry.consumer,
                    "detail": entry.detail,
                })
            })
            .collect();
        let text = match trail.is_empty() {
            true => "nothing was done yet".to_owned(),
            false => table(
                ["at", "by", "action", "consumer", "detail"],
                trail.into_iter().map(|entry| {
                    [
                        when::shown(entry.at),
                        entry.author,
                        entry.action,
                        entry.consumer,
                        entry.detail,
                    ]
                }),
            ),
        };
        Ok(Report {
            text: text.trim_end().to_owned(),
            json: json!({ "entries": json }),
        })
    }
}
