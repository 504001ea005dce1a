//! What a request's cost is read from.

#[cfg(feature = "graphql")]
use std::sync::Arc;

/// What a request's cost is read from, where the requests of a route do not all cost the same.
///
/// Whatever it is, a request costs at least one unit until its response says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CostFrom {
    /// The number of items of a JSON array in the body, at least 1.
    BodyItems {
        /// Where the array is: a JSON pointer (RFC 6901); empty for the whole body.
        pointer: String,
        /// Units for each item.
        per_item: u64,
        /// The most items that are counted; `None`: all.
        max: Option<u64>,
    },
    /// A number in the query. Anything but a whole number from 1 to `max` counts as `max`, since the
    /// application may read more into it.
    Query {
        /// The parameter's name.
        name: String,
        /// Units for each.
        per_item: u64,
        /// The most that is counted: what the application serves at once.
        max: u64,
        /// What a request without the parameter asks for.
        default: u64,
    },
    /// The operations of a GraphQL request, told before they are executed.
    #[cfg(feature = "graphql")]
    GraphQl {
        /// What tells it.
        gauge: Arc<crate::graphql::Gauge>,
        /// The header in which the response says what they truly cost.
        header: Option<http::HeaderName>,
    },
    /// A header of the response. The estimate is reserved, the truth is settled.
    ResponseHeader {
        /// The header.
        name: http::HeaderName,
        /// Units that are taken before the request is forwarded, and that stay taken when the
        /// response does not say a whole number.
        estimate: u64,
    },
}

impl CostFrom {
    /// The least that a request can cost before its response is there.
    pub fn least(&self) -> u64 {
        match self {
            Self::BodyItems { per_item, .. } | Self::Query { per_item, .. } => *per_item,
            Self::ResponseHeader { estimate, .. } => *estimate,
            #[cfg(feature = "graphql")]
            Self::GraphQl { .. } => 1,
        }
    }

    /// The header in which the response says the true cost.
    pub fn header(&self) -> Option<&http::HeaderName> {
        match self {
            Self::ResponseHeader { name, .. } => Some(name),
            #[cfg(feature = "graphql")]
            Self::GraphQl { header, .. } => header.as_ref(),
            Self::BodyItems { .. } | Self::Query { .. } => None,
        }
    }

    /// Whether it is read in the body.
    pub(crate) const fn reads_body(&self) -> bool {
        matches!(self, Self::BodyItems { .. }) || self.reads_operations()
    }

    /// Whether it is told from GraphQL operations, which are refused where they are too much
    /// whatever the policies say.
    pub(crate) const fn reads_operations(&self) -> bool {
        #[cfg(feature = "graphql")]
        return matches!(self, Self::GraphQl { .. });
        #[cfg(not(feature = "graphql"))]
        return false;
    }
}
