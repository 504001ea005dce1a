//! English.

use aforo_policy::{PathError, Refusal};

use super::{REMEDY, Units, row};
use crate::http::denial::Refused;
use crate::http::denial::account::{Account, UNRECOGNISED};

pub(super) const UNITS: Units = Units {
    day: ["day", "days"],
    hour: ["hour", "hours"],
    minute: ["minute", "minutes"],
    second: ["second", "seconds"],
    and: "and",
};

pub(super) const fn title(refused: &Refused<'_>) -> &'static str {
    match refused {
        Refused::Exceeded => "Quota exceeded",
        Refused::Impossible => "Cost exceeds quota",
        Refused::Refusal(Refusal::MissingPart { .. }) => "Part missing",
        Refused::Refusal(Refusal::DuplicatePart { .. }) => "Part given twice",
        Refused::Refusal(Refusal::UnreadableBody { .. }) => "Unreadable body",
        Refused::Refusal(Refusal::PlanRequired { .. }) => "Another plan required",
        #[cfg(feature = "graphql")]
        Refused::Refusal(Refusal::GraphQl(_)) => "GraphQL request refused",
        Refused::Refusal(_) => "Request refused",
        Refused::Path(_) => "Malformed path",
        Refused::Anonymous => "Credential required",
        Refused::BodyTooLarge { .. } => "Body too large",
        Refused::StoreFailed | Refused::Unverified => "Temporarily reduced capacity",
        Refused::PeerUnknown => "Caller unknown",
    }
}

pub(super) fn detail(refused: &Refused<'_>, account: &Account<'_>) -> String {
    let what = match refused {
        Refused::Exceeded => exceeded(account),
        Refused::Impossible => impossible(account),
        Refused::Refusal(refusal) => self::refused(refusal),
        Refused::Path(PathError::EncodedSlash) => {
            "The path holds an encoded slash, a backslash or a NUL.".to_owned()
        }
        Refused::Path(_) => "The path is malformed.".to_owned(),
        Refused::Anonymous => {
            "This service takes requests with a valid credential only.".to_owned()
        }
        Refused::BodyTooLarge { most } => format!("The body has more than {most} bytes."),
        Refused::StoreFailed => "Requests cannot be counted at the moment.".to_owned(),
        Refused::Unverified => "The credential cannot be checked at the moment.".to_owned(),
        Refused::PeerUnknown => {
            format!("The server cannot tell where the request comes from. {REMEDY}")
        }
    };
    let credential = match account.credential {
        Some(UNRECOGNISED) => " The credential that was sent is not recognised.",
        Some(_) if !matches!(refused, Refused::Unverified) => {
            " The credential that was sent could not be checked just now."
        }
        _ => "",
    };
    match account.retry_after {
        Some(seconds) => format!("{what} Try again in {}.{credential}", UNITS.say(seconds)),
        None => format!("{what}{credential}"),
    }
}

fn exceeded(account: &Account<'_>) -> String {
    let names = row(&account.violated, UNITS.and);
    match (account.violated.len(), account.retry_after) {
        (0, Some(_)) => "There were too many requests.".to_owned(),
        (0, None) => "This request is not allowed.".to_owned(),
        (1, Some(_)) => format!("The quota of policy {names} is exceeded."),
        (_, Some(_)) => format!("The quotas of policies {names} are exceeded."),
        (1, None) => format!("Policy {names} does not allow this request."),
        (_, None) => format!("Policies {names} do not allow this request."),
    }
}

fn impossible(account: &Account<'_>) -> String {
    match (account.limit, account.violated.as_slice()) {
        (Some(limit), [name]) => {
            format!("This request costs more than the {limit} units that policy {name} can hold.")
        }
        _ => "This request costs more than its quota can hold.".to_owned(),
    }
}

fn refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::MissingPart { part, .. } => format!("The request lacks {part}."),
        Refusal::DuplicatePart { part } => format!("The request has {part} more than once."),
        Refusal::UnreadableBody { expected } => format!("The body cannot be read as {expected}."),
        Refusal::PlanRequired { plans } => match plans.as_slice() {
            [plan] => format!("This route takes the plan {plan}."),
            plans => format!("This route takes one of the plans {}.", row(plans, "or")),
        },
        // Whoever writes queries reads the words of the GraphQL specification.
        #[cfg(feature = "graphql")]
        Refusal::GraphQl(fault) => super::sentence(&fault.to_string()),
        _ => "The request is refused.".to_owned(),
    }
}
