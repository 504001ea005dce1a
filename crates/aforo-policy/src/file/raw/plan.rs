//! `[plans]`, `[teams]` and `[[consumers]]`.

use toml::value::Datetime;

use super::PolicyEntry;
use crate::file::read::{List, Located, OneOrMany, Text};
use crate::file::table::table;

table! {
    /// The policies that a class of consumers has.
    RawPlan {
        /// Quotas such as `"60/minute burst 10"`, references such as `"@writes"`, or inline
        /// tables. All of them apply to every request of the plan's callers.
        required policies: List<PolicyEntry>,
        /// The plan's name for people.
        optional title: Text,
        /// What the plan costs, for people.
        optional price: Text,
        /// Where a caller gets a larger plan; denials show it.
        optional upgrade_url: Text,
    }
}

table! {
    /// Consumers that share a pool.
    RawTeam {
        /// The pool: quotas that all members of the team share, beside their own plans'.
        required policies: List<PolicyEntry>,
        /// What of the pool each member has for itself, such as `"60/minute burst 10"`, so that no
        /// member can starve the others: a quota with the window and algorithm of one of the
        /// pool's, or a list of such. The other members cannot use it.
        optional guaranteed: OneOrMany<Text>,
        /// The most members that the team may have. Default: the consumers of this file.
        optional members: Located<u64>,
    }
}

table! {
    /// A caller known by a verified credential.
    RawConsumer {
        /// The consumer's id, unique in the file.
        required id: Text,
        /// The consumer's plan. Default: `identity.default_plan`.
        optional plan: Text,
        /// The team whose pool the consumer shares.
        optional team: Text,
        /// The organisation, for policies that are partitioned by `org`.
        optional org: Text,
        /// Whom to write to, for people.
        optional contact: Text,
        /// SHA-256 of each API key, in hex: `printf %s "$KEY" | sha256sum`.
        optional api_key_sha256: List<Text>,
        /// Negotiated quotas instead of a policy's own.
        optional overrides: List<RawOverride>,
    }
}

table! {
    /// A negotiated quota instead of a policy's own.
    RawOverride {
        /// The name of the policy, such as `pro-minute`.
        required policy: Text,
        /// The quota that replaces the policy's; everything else of the policy stays.
        required quota: Text,
        /// The last day on which it holds (UTC), `2027-01-31`, or the instant it ends,
        /// `2027-01-31T12:00:00Z`. Left out: it holds for good.
        optional until: Located<Datetime>,
        /// Why, for people.
        optional reason: Text,
    }
}
