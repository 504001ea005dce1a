//! What a decision is told as.

use std::collections::BTreeMap;

use aforo::core::{Mode, Outcome, Verdict};
use aforo::decide::{Ruling, Told};
use http::{HeaderName, HeaderValue, StatusCode};
use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The headers of a caller's answer, those of one name one after the other.
pub(super) type Headers = Vec<(HeaderName, HeaderValue)>;

/// A decision. A denial is a value: the HTTP status of the answer is 200 either way.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer<'a> {
    /// Whether the request may go on, after `delay_ms` where that is there.
    allowed: bool,
    /// The status that the caller is to get: 200, or the denial's (429, or 400, 401, 403, 413, 415,
    /// 422, 503).
    status: u16,
    /// The headers that the caller is to get: where it stands, and those of the denial.
    #[serde(serialize_with = "fields")]
    #[schemars(with = "BTreeMap<String, String>")]
    headers: &'a [(HeaderName, HeaderValue)],
    /// The body that the caller is to get when it is denied, of the media type in `headers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    /// Milliseconds for which the request is to be held, rounded up: a leaky bucket's slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_ms: Option<u64>,
    /// Seconds until asking again helps, rounded up, at least 1; when denied, if it ever helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    /// All policies that applied, in order.
    policies: Vec<Policy<'a>>,
    /// The consumer, when one was verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    consumer: Option<&'a str>,
    /// The caller's plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a str>,
    /// The name of the decision; in a denial's body it is the same.
    decision_id: String,
    /// What `/v1/refund` takes, when it was asked for and something was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<String>,
}

/// How one policy stands.
#[derive(Debug, Serialize, JsonSchema)]
struct Policy<'a> {
    /// Its name.
    policy: &'a str,
    /// Whether it lets this pass. A shadow policy that does not denies nobody.
    allowed: bool,
    /// Whether it only looks (`action = "shadow"`).
    shadow: bool,
    /// Whether callers may see its name and numbers.
    disclosed: bool,
    /// Units that were asked for.
    cost: u64,
    /// Units that were taken.
    taken: u64,
    /// The most units at once; absent, as all numbers, with quota 0 and where the store failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
    /// Units left.
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining: Option<u64>,
    /// Seconds until all of the limit is back, rounded up.
    #[serde(skip_serializing_if = "Option::is_none")]
    reset: Option<u64>,
    /// Seconds until this fits, rounded up, at least 1; when it does not fit now and will.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

/// `{"decisions": […]}`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Decisions<'a> {
    /// One for each question, in order.
    pub(super) decisions: Vec<Answer<'a>>,
}

/// What was given back.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Refunded {
    /// Always true; a receipt that is unknown, used or forgotten gets 404.
    pub(super) refunded: bool,
}

impl<'a> Answer<'a> {
    /// What is told of a ruling, whose fields are `headers`.
    pub(super) fn of(
        ruling: &'a Ruling,
        headers: &'a [(HeaderName, HeaderValue)],
        body: Option<&'a str>,
        receipt: Option<String>,
    ) -> Self {
        let denial = ruling.denial();
        let policies: Vec<Policy<'a>> = ruling.told().map(Policy::of).collect();
        Self {
            allowed: denial.is_none(),
            status: denial
                .map_or(StatusCode::OK, http::Response::status)
                .as_u16(),
            headers,
            body,
            delay_ms: ruling.delay().map(|delay| {
                let millis = delay.as_micros().div_ceil(1_000);
                u64::try_from(millis).unwrap_or(u64::MAX)
            }),
            retry_after: denial.and_then(|_| longest_wait(&policies)),
            policies,
            consumer: ruling.consumer(),
            plan: ruling.plan(),
            decision_id: ruling.id().to_string(),
            receipt,
        }
    }
}

/// The longest wait among the enforced policies; `None` when one of them never fits.
fn longest_wait(policies: &[Policy<'_>]) -> Option<u64> {
    let mut denying = policies
        .iter()
        .filter(|policy| !policy.allowed && !policy.shadow)
        .map(|policy| policy.retry_after);
    denying.try_fold(None, |longest: Option<u64>, wait| {
        wait.map(|wait| Some(longest.map_or(wait, |longest| longest.max(wait))))
    })?
}

impl<'a> Policy<'a> {
    fn of(told: Told<'a>) -> Self {
        let outcome = told.outcome;
        let waits = |outcome: &Outcome| {
            (outcome.verdict == Verdict::Denied).then(|| outcome.wait.as_seconds_ceil().max(1))
        };
        Self {
            policy: told.policy,
            allowed: told.fits,
            shadow: told.mode == Mode::Shadow,
            disclosed: told.disclosed,
            cost: told.cost,
            taken: told.taken,
            limit: outcome.map(|outcome| outcome.capacity),
            remaining: outcome.map(|outcome| outcome.remaining),
            reset: outcome.map(|outcome| outcome.whole_again.as_seconds_ceil()),
            retry_after: outcome.as_ref().and_then(waits),
        }
    }
}

/// Writes headers as an object; several of one name as one list (RFC 9110, section 5.3).
fn fields<S: Serializer>(
    headers: &&[(HeaderName, HeaderValue)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for same in headers.chunk_by(|(one, _), (next, _)| one == next) {
        match same {
            [(name, value)] => {
                map.serialize_entry(name.as_str(), value.to_str().unwrap_or_default())?;
            }
            [(name, _), ..] => {
                let values = same.iter().filter_map(|(_, value)| value.to_str().ok());
                let joined = values.collect::<Vec<_>>().join(", ");
                map.serialize_entry(name.as_str(), &joined)?;
            }
            [] => {}
        }
    }
    map.end()
}

/// Whether a field tells where a caller stands.
pub(super) fn is_standing(name: &HeaderName) -> bool {
    let name = name.as_str();
    name.starts_with("ratelimit") || name.starts_with("x-ratelimit")
}
