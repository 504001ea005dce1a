//! A policy, complete.

use std::collections::BTreeMap;
use std::sync::Arc;

use aforo_core::{Mode, PolicyName, Span, Terms};

use super::{Calendar, ExemptCookie, OnStoreFailure, Penalty};
use crate::file::QuotaFields;

/// A named quota with its algorithm, what it is partitioned by, and what happens when it is
/// exceeded.
#[derive(Clone, Debug)]
pub struct Policy {
    /// What headers, metrics and error bodies show.
    pub name: PolicyName,
    /// The allowance for everybody that `by_plan` does not name; `None`: for others the policy
    /// does not apply.
    pub allowance: Option<Allowance>,
    /// Allowances of plans by name.
    pub by_plan: BTreeMap<String, Allowance>,
    /// What is counted apart: a list of parts, each with alternatives.
    pub partition_by: Vec<Alternatives>,
    /// How parts that come from the request are normalised.
    pub normalize: Vec<Normalize>,
    /// What an absent part means.
    pub when_missing: WhenMissing,
    /// Overrides the request's cost.
    pub cost: Option<u64>,
    /// Enforced or shadow.
    pub mode: Mode,
    /// Which responses count.
    pub counted: Counted,
    /// Whether denials take quota too.
    pub count_denials: bool,
    /// What callers are shown.
    pub disclose: Disclosure,
    /// The store's name.
    pub store: String,
    /// Overrides what the store's failure means.
    pub on_store_failure: Option<OnStoreFailure>,
    /// How exactly the store counts.
    pub precision: Precision,
    /// Where it is enforced.
    pub at: Places,
    /// What repeated denials lead to.
    pub penalty: Option<Arc<Penalty>>,
    /// The cookie of known devices.
    pub exempt_cookie: Option<Arc<ExemptCookie>>,
    /// Which part of a team's pool it is.
    pub share: Option<Share>,
    /// What the file says of its quotas beside them.
    pub(crate) fields: QuotaFields,
}

/// What a policy allows.
#[derive(Clone, Debug)]
pub enum Allowance {
    /// No limit.
    Unlimited,
    /// Quota 0: nothing, and no way to wait for it.
    Blocked,
    /// A quota.
    Metered(Metered),
}

/// A quota with what it takes to charge it. A policy with a quota per plan may have another
/// calendar for each.
#[derive(Clone, Debug)]
pub struct Metered {
    /// The policy's name and the quota, shared with whatever outlives a reload: requests on
    /// their way, and an application's own copy of a consumer.
    pub terms: Arc<Terms>,
    /// The calendar, when the quota's window is a calendar window.
    pub calendar: Option<Calendar>,
    /// How long a request may be held, when the quota is a leaky bucket.
    pub max_delay: Option<Span>,
}

/// A part of a partition key with alternatives: the first present wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternatives(pub Vec<Part>);

/// A part of a partition key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The consumer, else the client address.
    Caller,
    /// The consumer's id.
    Consumer,
    /// The consumer's team.
    Team,
    /// The consumer's organisation.
    Org,
    /// The client address, cut to a prefix; `None`: the identity's.
    ClientIp(Option<u8>),
    /// The route's template.
    Route,
    /// The method.
    Method,
    /// The host.
    Host,
    /// One bucket for all.
    Everyone,
    /// A header's value.
    Header(http::HeaderName),
    /// A cookie's value.
    Cookie(String),
    /// A query parameter.
    Query(String),
    /// A parameter of the route's template.
    Path(String),
    /// A claim of the verified token.
    Jwt(String),
    /// A JSON pointer (RFC 6901) into the body.
    Body(String),
    /// A form field (`application/x-www-form-urlencoded`).
    Form(String),
    /// All keys and values of an Envoy descriptor.
    Descriptor,
    /// The value of an entry of an Envoy descriptor.
    DescriptorEntry(String),
}

/// A normalisation of parts that come from the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalize {
    /// White space at both ends is dropped.
    Trim,
    /// Lower case, Unicode.
    Lowercase,
    /// Unicode NFC.
    Nfc,
}

/// What an absent part means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenMissing {
    /// Fall back to the caller.
    #[default]
    Caller,
    /// The policy does not apply.
    Skip,
    /// 400.
    Deny,
}

/// Which responses count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Every request.
    #[default]
    All,
    /// 400, 401, 403 and 422.
    Failures,
    /// Everything that is not a failure and not a 5xx.
    Successes,
    /// These statuses.
    Statuses(Vec<u16>),
}

impl Counted {
    /// Whether a response with this status counts.
    pub fn holds(&self, status: http::StatusCode) -> bool {
        let failed = matches!(status.as_u16(), 400 | 401 | 403 | 422);
        match self {
            Self::All => true,
            Self::Failures => failed,
            Self::Successes => !failed && !status.is_server_error(),
            Self::Statuses(statuses) => statuses.contains(&status.as_u16()),
        }
    }
}

/// How exactly a shared store counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Every charge is decided by the store.
    #[default]
    Exact,
    /// Each instance takes up to a tenth of the capacity in advance and spends it within a second.
    Leased,
}

/// Which part of a team's pool a policy is. A request takes from the pool, and from one of its
/// parts: from what is guaranteed to the member while that holds it, else from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// What each member has for itself.
    Guaranteed,
    /// What is left for all members when each has its own part. It follows the guaranteed part.
    Rest,
}

/// What callers are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Disclosure {
    /// Name and numbers.
    #[default]
    Full,
    /// Only Retry-After.
    Retry,
}

/// Where a policy is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// In the gateway.
    pub gateway: bool,
    /// In the application.
    pub app: bool,
    /// In the decision service.
    pub decide: bool,
}

/// One of the places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the gateway.
    Gateway,
    /// In the application.
    App,
    /// In the decision service.
    Decide,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            gateway: true,
            app: true,
            decide: true,
        }
    }
}
