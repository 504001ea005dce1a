//! Whose an API key is, asked of an HTTP endpoint.

use ::http::StatusCode;
use aforo_core::Timestamp;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::Client;
use crate::identity::{Found, FoundOverride, Lookup, LookupAnswer, LookupError, PresentedKey};

/// Asks with `POST` and `{"api_key": "…"}` or `{"consumer": "…"}`, so that the key is in no address and no access log.
pub(crate) struct HttpLookup(pub(crate) Client);

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Question<'a> {
    ApiKey(&'a str),
    Consumer(&'a str),
}

/// What the endpoint says of a consumer; fields that are not known are left alone. Times are Unix
/// seconds.
#[derive(Deserialize)]
struct Answer {
    consumer: String,
    plan: Option<String>,
    team: Option<String>,
    org: Option<String>,
    key: Option<String>,
    #[serde(default)]
    overrides: Vec<AnswerOverride>,
    expires: Option<u64>,
}

#[derive(Deserialize)]
struct AnswerOverride {
    policy: String,
    quota: String,
    from: Option<u64>,
    until: Option<u64>,
    reason: Option<String>,
}

impl Lookup for HttpLookup {
    fn find<'a>(&'a self, key: &'a PresentedKey) -> LookupAnswer<'a> {
        Box::pin(async move {
            // What is no text is nobody's key.
            let Ok(api_key) = std::str::from_utf8(key.as_bytes()) else {
                return Ok(None);
            };
            self.answer(&Question::ApiKey(api_key)).await
        })
    }

    fn find_by_id<'a>(&'a self, id: &'a str) -> LookupAnswer<'a> {
        Box::pin(async move { self.answer(&Question::Consumer(id)).await })
    }
}

impl HttpLookup {
    async fn answer(&self, question: &Question<'_>) -> Result<Option<Found>, LookupError> {
        let question = serde_json::to_vec(question);
        let question = question.map_err(|error| LookupError::Unavailable(error.to_string()))?;
        let (status, body) = self.0.ask(Some(Bytes::from(question))).await?;
        understood(status, &body)
    }
}

/// 200 is somebody's, 404 (or 204, 410) nobody's; anything else is a failure.
pub(super) fn understood(status: StatusCode, body: &[u8]) -> Result<Option<Found>, LookupError> {
    match status {
        StatusCode::OK => {}
        StatusCode::NOT_FOUND | StatusCode::NO_CONTENT | StatusCode::GONE => return Ok(None),
        other => return Err(LookupError::Unavailable(format!("it answered {other}"))),
    }
    let answer: Answer =
        serde_json::from_slice(body).map_err(|error| LookupError::Misunderstood(kind(&error)))?;
    Ok(Some(Found {
        id: answer.consumer,
        plan: answer.plan,
        team: answer.team,
        org: answer.org,
        key: answer.key,
        overrides: answer.overrides.into_iter().map(negotiated).collect(),
        expires: answer.expires.map(instant),
    }))
}

/// What is wrong with an answer, without quoting it: it may hold what the log should not.
fn kind(error: &serde_json::Error) -> String {
    format!(
        "expected {{\"consumer\": …}}; {:?} error at line {}, column {}",
        error.classify(),
        error.line(),
        error.column()
    )
}

fn negotiated(one: AnswerOverride) -> FoundOverride {
    FoundOverride {
        policy: one.policy,
        quota: one.quota,
        from: one.from.map(instant),
        until: one.until.map(instant),
        reason: one.reason,
    }
}

fn instant(seconds: u64) -> Timestamp {
    Timestamp::from_micros(seconds.saturating_mul(1_000_000))
}
