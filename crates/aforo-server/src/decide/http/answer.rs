//! What a decision is told as.

use std::collections::BTreeMap;

use aforo::core::{Mode, Outcome, Verdict};
use aforo::decide::{Ruling, Told};
use aforo::http::denial::DecisionId;
use http::{HeaderName, HeaderValue, StatusCode};
use schemars::JsonSchema;

use super::json::{Json, Object, name};

/// The headers of a caller's answer, those of one name one after the other.
pub(super) type Headers = Vec<(HeaderName, HeaderValue)>;

/// A decision. A denial is a value: the HTTP status of the answer is 200 either way.
#[derive(Debug, JsonSchema)]
pub(super) struct Answer<'a> {
    /// Whether the request may go on, after `delay_ms` where that is there.
    allowed: bool,
    /// The status that the caller is to get: 200, or the denial's (429, or 400, 401, 403, 413, 415,
    /// 422, 503).
    status: u16,
    /// The headers that the caller is to get: where it stands, and those of the denial.
    #[schemars(with = "BTreeMap<String, String>")]
    headers: Fields<'a>,
    /// The body that the caller is to get when it is denied, of the media type in `headers`.
    body: Option<&'a str>,
    /// Milliseconds for which the request is to be held, rounded up: a leaky bucket's slot.
    delay_ms: Option<u64>,
    /// Seconds until asking again helps, rounded up, at least 1; when denied, if it ever helps.
    retry_after: Option<u64>,
    /// All policies that applied, in order.
    policies: Vec<Policy<'a>>,
    /// The consumer, when one was verified.
    consumer: Option<&'a str>,
    /// The caller's plan.
    plan: Option<&'a str>,
    /// The name of the decision; in a denial's body it is the same.
    #[schemars(with = "String")]
    decision_id: DecisionId,
    /// What `/v1/refund` takes, when it was asked for and something was taken.
    receipt: Option<&'a str>,
}

/// How one policy stands.
#[derive(Debug, JsonSchema)]
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
    limit: Option<u64>,
    /// Units left.
    remaining: Option<u64>,
    /// Seconds until all of the limit is back, rounded up.
    reset: Option<u64>,
    /// Seconds until this fits, rounded up, at least 1; when it does not fit now and will.
    retry_after: Option<u64>,
}

/// `{"decisions": […]}`.
#[derive(Debug, JsonSchema)]
pub(super) struct Decisions<'a> {
    /// One for each question, in order.
    pub(super) decisions: Vec<Answer<'a>>,
}

/// Headers as an object; several of one name as one list (RFC 9110, section 5.3).
#[derive(Debug)]
struct Fields<'a>(&'a [(HeaderName, HeaderValue)]);

/// What was given back.
#[derive(Debug, JsonSchema)]
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
        receipt: Option<&'a str>,
    ) -> Self {
        let denial = ruling.denial();
        let policies: Vec<Policy<'a>> = ruling.told().map(Policy::of).collect();
        Self {
            allowed: denial.is_none(),
            status: denial
                .map_or(StatusCode::OK, http::Response::status)
                .as_u16(),
            headers: Fields(headers),
            body,
            delay_ms: ruling.delay().map(|delay| {
                let millis = delay.as_micros().div_ceil(1_000);
                u64::try_from(millis).unwrap_or(u64::MAX)
            }),
            retry_after: denial.and_then(|_| longest_wait(&policies)),
            policies,
            consumer: ruling.consumer(),
            plan: ruling.plan(),
            decision_id: ruling.id(),
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

impl Json for Answer<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        Object::begin(out)
            .member(name!("allowed"), &self.allowed)
            .member(name!("status"), &self.status)
            .member(name!("headers"), &self.headers)
            .optional(name!("body"), self.body)
            .optional(name!("delay_ms"), self.delay_ms)
            .optional(name!("retry_after"), self.retry_after)
            .member(name!("policies"), self.policies.as_slice())
            .optional(name!("consumer"), self.consumer)
            .optional(name!("plan"), self.plan)
            .member(name!("decision_id"), self.decision_id.digits().as_str())
            .optional(name!("receipt"), self.receipt)
            .end();
    }
}

impl Json for Policy<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        Object::begin(out)
            .member(name!("policy"), self.policy)
            .member(name!("allowed"), &self.allowed)
            .member(name!("shadow"), &self.shadow)
            .member(name!("disclosed"), &self.disclosed)
            .member(name!("cost"), &self.cost)
            .member(name!("taken"), &self.taken)
            .optional(name!("limit"), self.limit)
            .optional(name!("remaining"), self.remaining)
            .optional(name!("reset"), self.reset)
            .optional(name!("retry_after"), self.retry_after)
            .end();
    }
}

impl Json for Decisions<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        Object::begin(out)
            .member(name!("decisions"), self.decisions.as_slice())
            .end();
    }
}

impl Json for Refunded {
    fn write(&self, out: &mut Vec<u8>) {
        Object::begin(out)
            .member(name!("refunded"), &self.refunded)
            .end();
    }
}

impl Json for Fields<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        let mut object = Object::begin(out);
        for same in self.0.chunk_by(|(one, _), (next, _)| one == next) {
            match same {
                [(name, value)] => {
                    object.header(name, value);
                }
                [(name, _), ..] => {
                    let values = same.iter().filter_map(|(_, value)| value.to_str().ok());
                    let joined = values.collect::<Vec<_>>().join(", ");
                    object.header(name, joined.as_str());
                }
                [] => {}
            }
        }
        object.end();
    }
}

/// Whether a field tells where a caller stands.
pub(super) fn is_standing(name: &HeaderName) -> bool {
    let name = name.as_str();
    name.starts_with("ratelimit") || name.starts_with("x-ratelimit")
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
