//! Answers in the shape that GraphQL clients read: `{"errors": [{"message", "extensions"}]}`.

use ::http::HeaderMap;
use ::http::header::ACCEPT;
#[cfg(feature = "graphql")]
use aforo_policy::Refusal;
#[cfg(feature = "graphql")]
use aforo_policy::graphql::Fault;
use serde::Serialize;

use super::account::Account;
use super::{Asked, DecisionId, Refused};

/// The whole body; there is never any data.
#[derive(Debug, Serialize)]
pub(super) struct Errors<'a> {
    errors: [Error<'a>; 1],
}

#[derive(Debug, Serialize)]
struct Error<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<[Location; 1]>,
    extensions: Extensions,
}

#[derive(Debug, Serialize)]
struct Location {
    line: usize,
    column: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Extensions {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<Depth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    #[serde(serialize_with = "text")]
    decision_id: DecisionId,
}

/// What the request costs, as Shopify's API has it.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Cost {
    requested_query_cost: u64,
    /// Nothing was executed.
    actual_query_cost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum_query_cost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    throttle_status: Option<Throttle>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Throttle {
    maximum_available: u64,
    currently_available: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Depth {
    requested: u32,
    maximum: u32,
}

/// The errors of a refused request, where it was told what its operations cost, or why they are
/// not executed.
pub(super) fn errors<'a>(
    refused: &Refused<'_>,
    account: &'a Account<'_>,
    asked: &Asked<'_>,
) -> Option<Errors<'a>> {
    #[cfg(feature = "graphql")]
    if let Refused::Refusal(Refusal::GraphQl(fault)) = refused {
        return Some(of_fault(fault, account));
    }
    let requested_query_cost = asked.operations?;
    let throttle_status = account
        .limit
        .zip(account.remaining)
        .map(|(most, left)| Throttle {
            maximum_available: most,
            currently_available: left,
        });
    let cost = Cost {
        requested_query_cost,
        throttle_status,
        ..Cost::default()
    };
    Some(Errors::of(
        account,
        Extensions {
            cost: Some(cost),
            ..Extensions::of(code(refused, account), account)
        },
    ))
}

/// The code that GraphQL clients know for it.
const fn code(refused: &Refused<'_>, account: &Account<'_>) -> &'static str {
    match refused {
        Refused::Exceeded => "THROTTLED",
        Refused::Impossible => "MAX_COST_EXCEEDED",
        _ => account.kind.code,
    }
}

#[cfg(feature = "graphql")]
fn of_fault<'a>(fault: &Fault, account: &'a Account<'_>) -> Errors<'a> {
    let extensions = Extensions::of(fault.code(), account);
    match fault {
        Fault::MaxCost { cost, most } => {
            let cost = Cost {
                requested_query_cost: *cost,
                maximum_query_cost: Some(*most),
                ..Cost::default()
            };
            let cost = Some(cost);
            Errors::of(account, Extensions { cost, ..extensions })
        }
        Fault::MaxDepth { depth, most } => {
            let depth = Some(Depth {
                requested: *depth,
                maximum: *most,
            });
            let extensions = Extensions {
                depth,
                ..extensions
            };
            Errors::of(account, extensions)
        }
        Fault::Syntax { line, column, .. } => {
            let mut errors = Errors::of(account, extensions);
            let [error] = &mut errors.errors;
            error.locations = Some([Location {
                line: *line,
                column: *column,
            }]);
            errors
        }
        _ => Errors::of(account, extensions),
    }
}

impl Extensions {
    const fn of(code: &'static str, account: &Account<'_>) -> Self {
        Self {
            code,
            cost: None,
            depth: None,
            retry_after: account.retry_after,
            decision_id: account.decision_id,
        }
    }
}

impl<'a> Errors<'a> {
    const fn of(account: &'a Account<'_>, extensions: Extensions) -> Self {
        Self {
            errors: [Error {
                message: account.detail.as_str(),
                locations: None,
                extensions,
            }],
        }
    }
}

/// The media type of GraphQL over HTTP where the client asks for it, else JSON.
pub(super) fn media_type(headers: &HeaderMap) -> &'static str {
    const OWN: &str = "application/graphql-response+json";
    let mut accepted = headers.get_all(ACCEPT).iter();
    let asks = accepted.any(|value| value.to_str().is_ok_and(|value| value.contains(OWN)));
    if asks { OWN } else { "application/json" }
}

fn text<S: serde::Serializer>(id: &DecisionId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}
