//! `aforo consumer show`.

use aforo::core::Timestamp;
use aforo::registry::{ApiKey, NegotiatedQuota, RegisteredConsumer};
use clap::Args;
use serde_json::{Value, json};

use super::create::of_consumer;
use super::failure::Failure;
use super::report::{Report, or_dash, table, with};
use super::session::{Session, text};
use super::when;

pub(super) const EXAMPLE: &str = "\
Example:
  aforo consumer show acme --registry sqlite:consumers.db
  aforo consumer show acme --format json";

#[derive(Args, Debug)]
pub(super) struct Show {
    /// Its id
    id: String,
}

impl Show {
    pub(super) async fn run(&self, session: &Session) -> Result<Report, Failure> {
        let id = text("the id", &self.id)?;
        let consumer = session.registry.consumer(&id).await?;
        let keys = session.registry.keys(&id).await?;
        let overrides = session.registry.overrides(&id).await?;
        let now = session.now;
        let of_keys: Vec<Value> = keys.iter().map(|key| of_key(key, now)).collect();
        let of_overrides = overrides.iter().map(|one| of_override(one, now));
        let of_overrides: Vec<Value> = of_overrides.collect();
        let json = with(of_consumer(&consumer), "api_keys", of_keys);
        let json = with(json, "overrides", of_overrides);
        Ok(Report {
            text: for_people(&consumer, &keys, &overrides, now),
            json,
        })
    }
}

/// An API key for programs.
pub(super) fn of_key(key: &ApiKey, now: Timestamp) -> Value {
    json!({
        "id": format!("aforo_{}", key.id),
        "consumer": key.consumer,
        "label": key.label,
        "state": state(key, now),
        "created": when::json(Some(key.created)),
        "expires": when::json(key.expires),
        "revoked": when::json(key.revoked),
    })
}

/// An override for programs.
pub(super) fn of_override(one: &NegotiatedQuota, now: Timestamp) -> Value {
    json!({
        "policy": one.policy,
        "quota": one.quota,
        "state": holding(one, now),
        "from": when::json(Some(one.starts)),
        "until": when::json(one.ends),
        "reason": one.reason,
    })
}

fn for_people(
    consumer: &RegisteredConsumer,
    keys: &[ApiKey],
    overrides: &[NegotiatedQuota],
    now: Timestamp,
) -> String {
    let mut text = format!("consumer  {}\n", consumer.id);
    let fields = [
        ("plan", &consumer.plan),
        ("team", &consumer.team),
        ("org", &consumer.org),
        ("contact", &consumer.contact),
    ];
    for (name, value) in fields {
        text.push_str(&format!("{name:<9} {}\n", or_dash(value.as_deref())));
    }
    text.push_str(&format!("created   {}\n", when::shown(consumer.created)));
    let ends = |end: Option<Timestamp>| end.map_or_else(|| "-".to_owned(), when::shown);
    if !keys.is_empty() {
        let rows = keys.iter().map(|key| {
            [
                format!("aforo_{}", key.id),
                or_dash(key.label.as_deref()),
                state(key, now).to_owned(),
                when::shown(key.created),
                ends(key.expires),
            ]
        });
        text.push('\n');
        text.push_str(&table(
            ["api key", "label", "state", "created", "expires"],
            rows,
        ));
    }
    if !overrides.is_empty() {
        let rows = overrides.iter().map(|one| {
            [
                one.policy.clone(),
                one.quota.clone(),
                holding(one, now).to_owned(),
                when::shown(one.starts),
                ends(one.ends),
                or_dash(one.reason.as_deref()),
            ]
        });
        text.push('\n');
        let head = ["override of", "quota", "state", "from", "until", "reason"];
        text.push_str(&table(head, rows));
    }
    text.trim_end().to_owned()
}

fn state(key: &ApiKey, now: Timestamp) -> &'static str {
    match (key.revoked, key.is_live(now)) {
        (Some(_), _) => "revoked",
        (None, true) => "live",
        (None, false) => "expired",
    }
}

fn holding(one: &NegotiatedQuota, now: Timestamp) -> &'static str {
    match one.ends {
        Some(ends) if ends <= one.starts => "replaced",
        Some(ends) if ends <= now => "over",
        _ if one.starts > now => "to come",
        _ => "holds",
    }
}
