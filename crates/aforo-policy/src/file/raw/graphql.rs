//! `[graphql]`.

#![cfg_attr(
    not(feature = "graphql"),
    allow(dead_code, reason = "refused as a whole")
)]

use super::choice::Choice;
use crate::file::read::{Contents, List, Located, Named, OneOrMany, Text};
use crate::file::table::{table, words};

table! {
    /// What GraphQL requests cost on routes with `cost_from = { graphql = true }`, and how much
    /// they may.
    RawGraphql {
        /// The deepest that fields may be nested; deeper requests get 422. Introspection is one
        /// level. Default: 100.
        optional max_depth: Located<u64>,
        /// The most units that one request may cost, a batch as a whole; dearer ones get 422.
        /// Default: what its policies can hold.
        optional max_cost: Located<u64>,
        /// Units by `Type.field`, by a field's name, by a type's name, or `*` for every field that
        /// has none. They go before those of `sdl`. Without `sdl`, the types are `Query`,
        /// `Mutation` and `Subscription`.
        optional weights: Named<Located<f64>>,
        /// The path of the server's schema, relative to this file's folder, with the directives
        /// `@cost` and `@listSize` of IBM's GraphQL cost specification. Without it, fields go by
        /// their shape in the query.
        optional sdl: Contents,
        /// Which cost counts.
        optional measure: Choice<MeasureWord>,
        /// What becomes of queries for the schema itself.
        optional introspection: Choice<IntrospectionWord>,
        /// How many items a list has of which nothing else is known. Default: 10.
        optional list_size: Located<u64>,
        /// The arguments that say how many a field returns where no `@listSize` does. Default:
        /// `first`, `last`, `limit`, `take`, `pageSize`, `perPage`.
        optional list_arguments: List<Text>,
        /// The path of a file with persisted queries, relative to this file's folder, or a list of
        /// such: Apollo's manifest, or a table from ids to texts. They cost what their text does.
        optional persisted: OneOrMany<Contents>,
        /// Units of a persisted query whose text is not known. Default: `max_cost`, else 10.
        optional persisted_cost: Located<u64>,
    }
}

/// Which cost counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::file) enum MeasureWord {
    Greater,
    Field,
    Type,
}

/// What becomes of queries for the schema itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::file) enum IntrospectionWord {
    Allow,
    Deny,
}

words!(MeasureWord {
    "greater" => Self::Greater, "The greater of the two. The default.";
    "field" => Self::Field, "The field cost: the fields that are resolved.";
    "type" => Self::Type, "The type cost: the objects that are returned.";
});

words!(IntrospectionWord {
    "allow" => Self::Allow, "They cost 1 unit for each object as it stands. The default.";
    "deny" => Self::Deny, "They get 403.";
});
