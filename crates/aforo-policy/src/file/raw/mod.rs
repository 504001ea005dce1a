//! The file as it is written, field by field: structure and types only.

mod choice;
mod decide;
mod descriptor;
mod gateway;
mod graphql;
mod identity;
mod jwt;
mod lookup;
mod plan;
mod policy;
mod responses;
mod route;
mod secret;
mod store;

pub(in crate::file) use choice::{Choice, Word};
pub(in crate::file) use decide::RawDecide;
pub(in crate::file) use descriptor::{RawDescriptor, RawEntry};
pub(in crate::file) use gateway::{ForwardPath, RawCors, RawEdge, RawGateway, RawTls};
pub(in crate::file) use graphql::RawGraphql;
#[cfg(feature = "graphql")]
pub(in crate::file) use graphql::{IntrospectionWord, MeasureWord};
pub(in crate::file) use identity::{RawCredentialSource, RawIdentity};
pub(in crate::file) use jwt::RawJwt;
pub(in crate::file) use lookup::RawLookup;
pub(in crate::file) use plan::{RawConsumer, RawOverride, RawPlan, RawTeam};
pub(in crate::file) use policy::{
    CountWord, PolicyEntry, QuotaValue, RawCount, RawExemptCookie, RawPolicy, WindowWord,
};
pub(in crate::file) use responses::{BodyWord, RawBody, RawResponses};
pub(in crate::file) use route::{RawCostFrom, RawGroup, RawPaths, RawRoute};
pub(in crate::file) use store::RawStore;

use super::read::{List, Named, Text};
use super::table::table;

table! {
    /// Policies for the callers of an API, and the gateway that enforces them.
    RawFile {
        /// More files to read, relative to this one's folder. What they say is joined with what
        /// this file says; a name or a section that is in two files is an error.
        optional include: List<Text>,
        /// The gateway: where it listens and what stands behind it. A file without this section
        /// is for an application that embeds Aforo.
        optional gateway: RawGateway,
        /// The decision service: what other gateways and clients ask.
        optional decide: RawDecide,
        /// Policies per client address that come before anything else, in local memory.
        optional edge: RawEdge,
        /// Where counters are kept. Without this section: in memory.
        optional stores: Named<RawStore>,
        /// How callers are told apart.
        optional identity: RawIdentity,
        /// What GraphQL requests cost.
        optional graphql: RawGraphql,
        /// How paths are compared.
        optional paths: RawPaths,
        /// What callers are told.
        optional responses: RawResponses,
        /// The plans by name. `anonymous` is the plan of callers without a verified credential.
        optional plans: Named<RawPlan>,
        /// The teams by name: consumers that share a pool.
        optional teams: Named<RawTeam>,
        /// Policies by name, to be used in lists as `"@name"`.
        optional policies: Named<RawPolicy>,
        /// Sets of routes by pattern with policies of their own. Every group that matches a
        /// request applies.
        optional groups: List<RawGroup>,
        /// Routes with a cost and policies of their own. Exactly one applies to a request: the
        /// most specific.
        optional routes: List<RawRoute>,
        /// What Envoy's rate limit service counts, by domain and descriptor. Of the tables that fit a
        /// descriptor the most specific applies.
        optional descriptors: List<RawDescriptor>,
        /// The consumers: callers known by an API key or by a trusted proxy.
        optional consumers: List<RawConsumer>,
    }
    later { "admin", "expect" }
}
