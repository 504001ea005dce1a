//! All that an answer's body may say.

use ::http::StatusCode;
use aforo_core::Span;
use aforo_policy::{Credential, Refusal, Responses};
use serde::{Serialize, Serializer};
use smallvec::SmallVec;

use super::kind::Kind;
use super::language::Spoken;
use super::retry::Retry;
use super::{Asked, DecisionId, Refused, wording};
use crate::http::standing::Standing;
use crate::http::{Shown, x_ratelimit};

/// A credential that nobody knows.
pub(super) const UNRECOGNISED: &str = "unrecognised";

/// All that an answer's body may say, as known and disclosed. Serialised it is the problem document
/// (RFC 9457); the other bodies pick from it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Account<'a> {
    #[serde(rename = "type")]
    pub(super) problem_type: &'static str,
    pub(super) title: &'static str,
    #[serde(serialize_with = "number")]
    pub(super) status: StatusCode,
    pub(super) detail: String,
    #[serde(rename = "violated-policies", skip_serializing_if = "Vec::is_empty")]
    pub(super) violated: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) retry_after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) limit: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remaining: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) plan: Option<&'a str>,
    /// The plans that may use the route.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) plans: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) credential: Option<&'static str>,
    #[serde(serialize_with = "text")]
    pub(super) decision_id: DecisionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) documentation_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) upgrade_url: Option<&'a str>,
    #[serde(skip)]
    pub(super) kind: Kind,
    #[serde(skip)]
    pub(super) retry: Option<Retry>,
    #[serde(skip)]
    pub(super) spoken: Spoken,
}

impl<'a> Account<'a> {
    /// What may be said of a refusal.
    pub(super) fn of(
        refused: &'a Refused<'_>,
        shown: &'a Shown<'_>,
        responses: &'a Responses,
        asked: &Asked<'_>,
    ) -> Self {
        let kind = Kind::of(refused);
        let retry = Retry::of(refused, shown, asked);
        let spoken = Spoken::of(responses.language, asked.headers);
        let counts = matches!(refused, Refused::Exceeded | Refused::Impossible);
        let standings: SmallVec<[Standing<'_>; 6]> = if counts {
            shown.policies.iter().filter_map(Standing::of).collect()
        } else {
            SmallVec::new()
        };
        let told = x_ratelimit::told(&standings, Some(Span::ZERO));
        let plans = match refused {
            Refused::Refusal(Refusal::PlanRequired { plans }) => plans.as_slice(),
            _ => &[],
        };
        let mut account = Self {
            problem_type: kind.problem_type,
            title: wording::title(refused, spoken),
            status: kind.status,
            detail: String::new(),
            violated: standings
                .iter()
                .filter(|standing| standing.violated)
                .map(|standing| standing.name)
                .collect(),
            retry_after: retry.as_ref().map(Retry::seconds),
            limit: told.map(Standing::capacity),
            remaining: told.map(Standing::remaining),
            plan: shown.plan,
            plans,
            credential: credential(asked.credential),
            decision_id: asked.id,
            documentation_url: responses.documentation_url.as_deref(),
            upgrade_url: (counts || !plans.is_empty())
                .then_some(shown.upgrade_url)
                .flatten(),
            kind,
            retry,
            spoken,
        };
        account.detail = wording::detail(refused, &account);
        account
    }
}

/// How a credential that did not verify is told of.
const fn credential(credential: Credential) -> Option<&'static str> {
    match credential {
        Credential::Absent | Credential::Verified => None,
        Credential::Unrecognised => Some(UNRECOGNISED),
        Credential::Unverified => Some("unverified"),
    }
}

fn number<S: Serializer>(status: &StatusCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u16(status.as_u16())
}

fn text<S: Serializer>(id: &DecisionId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}
