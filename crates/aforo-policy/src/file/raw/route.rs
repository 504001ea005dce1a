//! `[paths]`, `[[groups]]` and `[[routes]]`.

use super::PolicyEntry;
use super::choice::Choice;
use crate::file::read::{List, Located, OneOrMany, Text};
use crate::file::table::{table, words};
use crate::{EncodedSlash, TrailingSlash};

table! {
    /// How paths are compared.
    RawPaths {
        /// Whether `/A` and `/a` are two paths. Default: true.
        optional case_sensitive: Located<bool>,
        /// Whether `/a/` and `/a` are two paths.
        optional trailing_slash: Choice<TrailingSlash>,
        /// What an encoded slash, backslash or NUL in a path means.
        optional encoded_slash: Choice<EncodedSlash>,
    }
}

table! {
    /// A set of routes by pattern with policies of its own. Every group that matches applies.
    RawGroup {
        /// What the group is: `"[METHOD|METHOD ]PATH"` or a list of such. A path may hold `{name}`
        /// for one segment, and as its last segment `{*name}` for zero or more.
        required r#match: OneOrMany<Text>,
        /// Quotas, references or inline tables that apply to all requests of the group.
        required policies: List<PolicyEntry>,
    }
}

table! {
    /// A route. Exactly one applies to a request: the most specific.
    RawRoute {
        /// What the route is: `"[METHOD|METHOD ]PATH"` or a list of such, counted as one route. A
        /// path may hold `{name}` for one segment, and as its last segment `{*name}` for zero or
        /// more.
        required r#match: OneOrMany<Text>,
        /// Units that one request takes of every policy. Default: 1.
        optional cost: Located<u64>,
        /// What the cost is read from, instead of `cost`: the body, the query, or the response.
        optional cost_from: RawCostFrom,
        /// Quotas, references or inline tables, beside the plan's.
        optional policies: List<PolicyEntry>,
        /// Whether requests are not counted at all, except at the edge.
        optional exempt: Located<bool>,
        /// The plans that may use the route; others get 403. Default: all.
        optional plans: List<Text>,
    }
}

table! {
    /// What a request's cost is read from: one of `body_items`, `query`, `graphql` and `header`.
    RawCostFrom {
        /// A JSON pointer such as `/orders` to an array in the request's body: each of its items
        /// costs. Empty: the body is the array.
        optional body_items: Text,
        /// The name of a query parameter that says how many are asked for; needs `max`.
        optional query: Text,
        /// Whether the route takes GraphQL requests, which cost what `[graphql]` says.
        optional graphql: Located<bool>,
        /// Beside `graphql`, or alone: the name of a header in which the response says what the request truly cost.
        optional header: Text,
        /// Units for each item or each one asked for. Default: 1.
        optional per_item: Located<u64>,
        /// The most that is counted: what the application takes or serves at once.
        optional max: Located<u64>,
        /// What a request without the query parameter asks for. Default: 1.
        optional default: Located<u64>,
        /// Units that are reserved until the response says the true cost. Default: 1.
        optional estimate: Located<u64>,
    }
}

words!(TrailingSlash {
    "strict" => Self::Strict, "They are two paths. The default.";
    "ignore" => Self::Ignore, "They are one path.";
});

words!(EncodedSlash {
    "reject" => Self::Reject, "The request gets 400. The default.";
    "keep" => Self::Keep, "It stays as it is.";
});
