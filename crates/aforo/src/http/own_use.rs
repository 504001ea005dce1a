//! What a caller is told of its own policies, when it asks for nothing else.

use ::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use ::http::{HeaderMap, HeaderValue, Response};
use aforo_policy::{Caller, Cors, Credential, Scope};
use serde::Serialize;

use super::cors;
use super::fields::put;
use super::standing::Standing;
use crate::AnswerBody;

/// What a caller is told of its own policies: who it is taken for, and how each of them stands.
#[derive(Debug, Serialize)]
pub(crate) struct OwnUse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    consumer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    team: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    org: Option<&'a str>,
    credential: &'static str,
    policies: Vec<OwnPolicy<'a>>,
}

/// One of the caller's policies. Numbers that no store told are left out.
#[derive(Debug, Serialize)]
struct OwnPolicy<'a> {
    policy: &'a str,
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<&'a str>,
    quota: u64,
    /// Seconds, when it is whole seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<u64>,
    capacity: u64,
    remaining: u64,
    used: u64,
    /// Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    reset: Option<u64>,
}

impl<'a> OwnUse<'a> {
    /// Nothing but who the caller is.
    pub(crate) fn of(caller: &'a Caller) -> Self {
        let consumer = caller.consumer.as_deref();
        let team = consumer.and_then(|one| one.team.as_ref());
        Self {
            consumer: consumer.map(|one| one.id.as_str()),
            plan: caller.plan.as_ref().map(|plan| plan.name.as_str()),
            team: team.map(|team| team.name.as_str()),
            org: consumer.and_then(|one| one.org.as_deref()),
            credential: match caller.credential {
                Credential::Absent => "absent",
                Credential::Unrecognised => "unrecognised",
                Credential::Unverified => "unverified",
                Credential::Verified => "verified",
            },
            policies: Vec::new(),
        }
    }

    /// Adds a policy.
    pub(crate) fn push(&mut self, scope: Scope, route: Option<&'a str>, standing: &Standing<'a>) {
        let (capacity, remaining) = (standing.capacity(), standing.remaining());
        self.policies.push(OwnPolicy {
            policy: standing.name,
            scope: match scope {
                Scope::Edge => "edge",
                Scope::Plan => "plan",
                Scope::Team => "team",
                Scope::Group => "group",
                Scope::Route => "route",
                Scope::Name => "name",
                Scope::Descriptor => "descriptor",
            },
            route,
            quota: standing.amount(),
            window: standing.window_seconds(),
            capacity,
            remaining,
            used: capacity.saturating_sub(remaining),
            reset: standing.reset_seconds(None),
        });
    }

    /// The answer that says it.
    pub(crate) fn answer(&self, asked: &HeaderMap, cors: Option<&Cors>) -> Response<AnswerBody> {
        // Only maps with other keys than strings cannot be written, and there are none.
        let body = serde_json::to_vec(self).unwrap_or_default();
        let mut response = Response::new(AnswerBody::from(body));
        let headers = response.headers_mut();
        put(
            headers,
            CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        put(headers, CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(cors) = cors {
            cors::write(headers, asked, cors);
        }
        response
    }
}
