//! Why a GraphQL request is refused before it is executed.

use thiserror::Error;

/// Why a GraphQL request is refused before it is executed. Nothing is charged for it.
///
/// The sentence is for whoever wrote the query; [`Fault::code`] is what programs go by.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// 422: the request costs more than `max_cost`.
    #[error("the request costs {cost} units, more than the {most} that one may cost")]
    MaxCost {
        /// What it costs.
        cost: u64,
        /// What it may cost.
        most: u64,
    },
    /// 422: the fields are nested deeper than `max_depth`.
    #[error("the request's fields are nested {depth} deep, more than the {most} that they may be")]
    MaxDepth {
        /// How deep they are.
        depth: u32,
        /// How deep they may be.
        most: u32,
    },
    /// 400: more tokens, levels or fragments than any request needs.
    #[error("the request is too large: it has more than {most} {what}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        most: u32,
    },
    /// 400: not a GraphQL request.
    #[error("{message}")]
    Syntax {
        /// What is wrong.
        message: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// 400: the request around the query is not what GraphQL over HTTP says.
    #[error("{0}")]
    Malformed(String),
    /// 400: a fragment contains itself.
    #[error("the fragment {fragment} contains itself")]
    Cycle {
        /// The fragment.
        fragment: String,
    },
    /// 400: a fragment that is not there, or there twice.
    #[error("there is no one fragment {fragment}")]
    NoFragment {
        /// The fragment.
        fragment: String,
    },
    /// 400: a list whose size the schema wants to be told, without one.
    #[error(
        "the field {field} needs one of the arguments {arguments}, which say how many it returns"
    )]
    SizeMissing {
        /// The field.
        field: String,
        /// The arguments.
        arguments: String,
    },
    /// 403: introspection is not allowed.
    #[error("the schema is not told here")]
    Introspection,
    /// 400: an introspection that goes in circles.
    #[error("the introspection goes from types to fields to types more often than tools do")]
    IntrospectionCircle,
    /// 415: a body that is no GraphQL request.
    #[error("the body is not application/json or application/graphql in UTF-8")]
    MediaType,
}

impl Fault {
    /// What programs go by: `errors[].extensions.code`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::MaxCost { .. } => "MAX_COST_EXCEEDED",
            Self::MaxDepth { .. } => "MAX_DEPTH_EXCEEDED",
            Self::TooLarge { .. } => "REQUEST_TOO_LARGE",
            Self::Syntax { .. } => "GRAPHQL_PARSE_FAILED",
            Self::Malformed(_) | Self::MediaType => "BAD_REQUEST",
            Self::Cycle { .. } | Self::NoFragment { .. } | Self::SizeMissing { .. } => {
                "GRAPHQL_VALIDATION_FAILED"
            }
            Self::Introspection | Self::IntrospectionCircle => "INTROSPECTION_REFUSED",
        }
    }

    /// The HTTP status that it is answered with.
    pub const fn status(&self) -> u16 {
        match self {
            Self::MaxCost { .. } | Self::MaxDepth { .. } => 422,
            Self::Introspection => 403,
            Self::MediaType => 415,
            _ => 400,
        }
    }
}
