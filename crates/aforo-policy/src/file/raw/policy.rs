//! `[policies]` and the entries of a list of policies.

use std::borrow::Cow;

use aforo_core::{Algorithm, Mode};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

use super::choice::Choice;
use crate::file::read::{List, Located, Named, Node, OneOrMany, Read, Reader, Text};
use crate::file::table::{table, words};
use crate::{Disclosure, Normalize, OnStoreFailure, Place, Precision, Secret, WhenMissing};

table! {
    /// A named quota with what it counts by and what happens when it is exceeded.
    RawPolicy {
        /// The policy's name, for a policy that is written inside a list: 1 to 64 of `a-z`,
        /// `0-9`, `.`, `_`, `-`. Headers, metrics and error bodies show it.
        optional name: Text,
        /// A quota such as `60/minute`, `20/15min`, `60/minute burst 10`,
        /// `1000/hour fixed-window`, or a table with one for each plan and `default` for all
        /// others. `0/minute` blocks, `unlimited` does not limit.
        required quota: QuotaValue,
        /// Units that may be taken at once; makes the quota a token bucket.
        optional burst: Located<u64>,
        /// How units are counted. Default: a token bucket with a burst, a calendar window for
        /// weeks and months, a sliding window otherwise.
        optional algorithm: Choice<Algorithm>,
        /// What is counted apart, a list of parts: `caller`, `consumer`, `team`, `org`,
        /// `client_ip`, `client_ip/48` (another IPv6 prefix), `route`, `method`, `host`,
        /// `everyone`, `header:NAME`, `cookie:NAME`, `query:NAME`, `path:NAME`,
        /// `body:/json/pointer`, `form:NAME`, `jwt:CLAIM`. Alternatives with ` | `: the first that is present
        /// counts. Default: the caller; in a route the caller and the route; in a team the team;
        /// in `[edge]` the client address.
        optional partition_by: List<Text>,
        /// How parts that come from the request are made alike before they are counted.
        optional normalize: List<Choice<Normalize>>,
        /// What happens when a part is absent.
        optional when_missing: Choice<WhenMissing>,
        /// Units that one request takes of this policy, whatever the request's own cost: 1 counts
        /// requests.
        optional cost: Located<u64>,
        /// What happens when the quota is exceeded.
        optional action: Choice<Mode>,
        /// How long a request may be held for its turn, such as `5s`. Leaky buckets only, which
        /// need it.
        optional max_delay: Text,
        /// Which responses count: `all` (the default), `failures` (400, 401, 403, 422),
        /// `successes`, or a list of statuses.
        optional count: RawCount,
        /// Whether denied requests take quota too.
        optional denials: Located<bool>,
        /// What callers are shown.
        optional disclose: Choice<Disclosure>,
        /// The store that counts, by name. Default: `default`.
        optional store: Text,
        /// What the store's failure means for this policy. Default: what the store says.
        optional on_store_failure: Choice<OnStoreFailure>,
        /// How exactly the store counts.
        optional precision: Choice<Precision>,
        /// Where a fixed window begins.
        optional window: Choice<WindowWord>,
        /// The time zone of a calendar window, such as `Europe/Madrid`. Default: UTC.
        optional time_zone: Text,
        /// The day of the month on which a monthly window begins, 1 to 31; in a shorter month its
        /// last day. Default: 1.
        optional anchor_day: Located<u64>,
        /// Where the policy is enforced. Default: everywhere.
        optional at: OneOrMany<Choice<Place>>,
        /// How long a denial blocks, such as `["1min", "10min", "1h"]`: the first the first length,
        /// the next one the second, and so on. One step is forgotten in each time of the longest.
        optional penalty: List<Text>,
        /// A cookie that marks a device from which the account was logged into. With it, requests
        /// for the same account are counted apart, so that a stranger cannot lock the owner out.
        optional exempt_cookie: RawExemptCookie,
    }
    later { "concurrent" }
}

table! {
    /// A cookie that marks known devices.
    RawExemptCookie {
        /// The cookie's name, such as `__Host-device`.
        required name: Text,
        /// The secret that it is signed with: at least 32 bytes.
        required secret: Secret,
        /// The account that it is for, a list of parts of the request. Default: those that the
        /// policy counts by.
        optional account: List<Text>,
        /// How long it is worth something. Default: 90 days.
        optional max_age: Text,
        /// Whether Aforo sets it after a good login: a 2xx or 3xx that the policy does not count.
        /// Otherwise the application does. Default: true.
        optional set: Located<bool>,
    }
}

/// An entry of a list of policies.
#[derive(Clone, Debug)]
pub(in crate::file) enum PolicyEntry {
    /// A quota string or a reference.
    Text(Text),
    /// An inline table.
    Inline(Box<RawPolicy>),
}

/// A quota, or one per plan.
#[derive(Clone, Debug)]
pub(in crate::file) enum QuotaValue {
    One(Text),
    ByPlan(Named<Text>),
}

/// Which responses count.
#[derive(Clone, Debug)]
pub(in crate::file) enum RawCount {
    Word(Choice<CountWord>),
    Statuses(List<Located<u64>>),
}

/// Which responses count, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::file) enum CountWord {
    All,
    Failures,
    Successes,
}

/// Where a fixed window begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::file) enum WindowWord {
    Calendar,
    FirstHit,
}

words!(CountWord {
    "all" => Self::All, "Every request. The default.";
    "failures" => Self::Failures, "Requests that are answered with 400, 401, 403 or 422.";
    "successes" => Self::Successes, "Requests that are answered with anything else but a 5xx.";
});

words!(Algorithm {
    "token-bucket" => Self::TokenBucket, "Units flow back evenly, up to the burst.";
    "gcra" => Self::TokenBucket, "The same as `token-bucket`.";
    "leaky-bucket" => Self::LeakyBucket, "Requests are held until it is their turn; needs `max_delay`.";
    "fixed-window" => Self::FixedWindow, "A counter that begins anew with each window.";
    "sliding-window" => Self::SlidingWindow, "The counters of this window and the one before, weighted.";
    "sliding-log" => Self::SlidingLog, "The exact times of all requests; at most 10,000 units.";
});

words!(WindowWord {
    "calendar" => Self::Calendar, "With the minute, hour, day, ISO week or month of a calendar. The default for one of these.";
    "first-hit" => Self::FirstHit, "With the first request.";
});

words!(Precision {
    "exact" => Self::Exact, "Every charge is decided by the store. The default.";
    "leased" => Self::Leased, "Each instance takes up to a tenth of the capacity in advance and spends it within a second.";
});

words!(Normalize {
    "trim" => Self::Trim, "White space at both ends is dropped.";
    "lowercase" => Self::Lowercase, "Upper case is lower case.";
    "nfc" => Self::Nfc, "Letters with accents are one character (Unicode NFC).";
});

words!(WhenMissing {
    "caller" => Self::Caller, "The caller is counted instead. The default.";
    "skip" => Self::Skip, "The policy does not apply.";
    "deny" => Self::Deny, "The request gets 400.";
});

words!(Mode {
    "deny" => Self::Enforce, "The request is denied. The default.";
    "shadow" => Self::Shadow, "Nothing; the policy counts, and metrics show what it would deny.";
});

words!(Disclosure {
    "full" => Self::Full, "The policy's name and numbers. The default.";
    "retry" => Self::Retry, "Only Retry-After, neither name nor numbers.";
});

words!(OnStoreFailure {
    "local" => Self::Local, "Each instance counts its share in memory. The default.";
    "allow" => Self::Allow, "Requests pass.";
    "deny" => Self::Deny, "Requests get 503.";
});

words!(Place {
    "gateway" => Self::Gateway, "In the gateway.";
    "app" => Self::App, "In an application that embeds Aforo.";
    "decide" => Self::Decide, "In the decision service.";
});

impl Read for PolicyEntry {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        match node.value {
            DeValue::String(_) => Text::read(node, reader).map(Self::Text),
            DeValue::Table(_) => Read::read(node, reader).map(Self::Inline),
            _ => reader.mistyped(
                node,
                "a quota such as \"60/minute\", a reference \"@name\", or an inline table",
            ),
        }
    }
}

impl Read for QuotaValue {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        match node.value {
            DeValue::String(_) => Text::read(node, reader).map(Self::One),
            DeValue::Table(_) => Named::read(node, reader).map(Self::ByPlan),
            _ => reader.mistyped(
                node,
                "a quota such as \"60/minute\", or a table with one for each plan",
            ),
        }
    }
}

impl Read for RawCount {
    fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        match node.value {
            DeValue::String(_) => Choice::read(node, reader).map(Self::Word),
            DeValue::Array(_) => List::read(node, reader).map(Self::Statuses),
            _ => reader.mistyped(
                node,
                "\"all\", \"failures\", \"successes\", or a list of statuses",
            ),
        }
    }
}

impl JsonSchema for PolicyEntry {
    fn schema_name() -> Cow<'static, str> {
        "PolicyEntry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let inline = generator.subschema_for::<RawPolicy>();
        json_schema!({ "anyOf": [
            {
                "type": "string",
                "description": "A quota such as `60/minute burst 10`, or a policy of `[policies]` as `@name`.",
            },
            inline,
        ] })
    }
}

impl JsonSchema for QuotaValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "QuotaValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string" },
            { "type": "object", "additionalProperties": { "type": "string" } },
        ] })
    }
}

impl JsonSchema for RawCount {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RawCount".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let word = generator.subschema_for::<Choice<CountWord>>();
        json_schema!({ "anyOf": [
            word,
            { "type": "array", "items": { "type": "integer", "minimum": 100, "maximum": 599 } },
        ] })
    }
}
