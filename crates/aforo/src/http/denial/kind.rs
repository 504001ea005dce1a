//! What an answer is to programs: its status, its problem type, its code.

use ::http::StatusCode;
use aforo_policy::Refusal;

use super::Refused;

/// The problem types of the RateLimit draft's registration.
macro_rules! registered {
    ($name:literal) => {
        concat!("https://iana.org/assignments/http-problem-types#", $name)
    };
}

/// Problem types of this project.
macro_rules! own {
    ($name:literal) => {
        concat!("https://aforo-rs.github.io/problems/", $name)
    };
}

/// What an answer is to programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// The HTTP status.
    pub(super) status: StatusCode,
    /// The problem type (RFC 9457, section 3.1.1).
    pub(super) problem_type: &'static str,
    /// The code of the classic body.
    pub(super) code: &'static str,
    /// The gRPC status code.
    pub(super) grpc: u8,
}

impl Kind {
    /// What the answer is.
    ///
    /// gRPC: 3 `INVALID_ARGUMENT`, 7 `PERMISSION_DENIED`, 8 `RESOURCE_EXHAUSTED` (its own for
    /// quotas and for messages that are too large), 13 `INTERNAL`, 14 `UNAVAILABLE` (a failed store
    /// is an outage that passes), 16 `UNAUTHENTICATED`.
    pub(super) fn of(refused: &Refused<'_>) -> Self {
        match refused {
            Refused::Exceeded => Self {
                status: StatusCode::TOO_MANY_REQUESTS,
                problem_type: registered!("quota-exceeded"),
                code: "RATE_LIMIT_EXCEEDED",
                grpc: 8,
            },
            Refused::Impossible => Self {
                status: StatusCode::UNPROCESSABLE_ENTITY,
                problem_type: own!("cost-exceeds-quota"),
                code: "COST_EXCEEDS_QUOTA",
                grpc: 3,
            },
            Refused::Refusal(refusal) => Self::of_refusal(refusal),
            Refused::Path(_) => Self {
                status: StatusCode::BAD_REQUEST,
                problem_type: own!("malformed-path"),
                code: "MALFORMED_PATH",
                grpc: 3,
            },
            Refused::Anonymous => Self {
                status: StatusCode::UNAUTHORIZED,
                problem_type: own!("credential-required"),
                code: "CREDENTIAL_REQUIRED",
                grpc: 16,
            },
            Refused::BodyTooLarge { .. } => Self {
                status: StatusCode::PAYLOAD_TOO_LARGE,
                problem_type: own!("body-too-large"),
                code: "BODY_TOO_LARGE",
                grpc: 8,
            },
            Refused::StoreFailed | Refused::Unverified => Self {
                status: StatusCode::SERVICE_UNAVAILABLE,
                problem_type: registered!("temporary-reduced-capacity"),
                code: "TEMPORARY_REDUCED_CAPACITY",
                grpc: 14,
            },
            Refused::PeerUnknown => Self {
                status: StatusCode::INTERNAL_SERVER_ERROR,
                problem_type: own!("peer-unknown"),
                code: "PEER_UNKNOWN",
                grpc: 13,
            },
        }
    }

    fn of_refusal(refusal: &Refusal) -> Self {
        let (status, problem_type, code, grpc) = match refusal {
            Refusal::MissingPart { .. } => {
                let problem_type = own!("missing-part");
                (StatusCode::BAD_REQUEST, problem_type, "MISSING_PART", 3)
            }
            Refusal::DuplicatePart { .. } => {
                let problem_type = own!("duplicate-part");
                (StatusCode::BAD_REQUEST, problem_type, "DUPLICATE_PART", 3)
            }
            Refusal::UnreadableBody { .. } => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                own!("unreadable-body"),
                "UNREADABLE_BODY",
                3,
            ),
            Refusal::PlanRequired { .. } => {
                let problem_type = own!("plan-required");
                (StatusCode::FORBIDDEN, problem_type, "PLAN_REQUIRED", 7)
            }
            #[cfg(feature = "graphql")]
            Refusal::GraphQl(fault) => {
                let status = StatusCode::from_u16(fault.status());
                let status = status.unwrap_or(StatusCode::BAD_REQUEST);
                (status, own!("graphql-refused"), fault.code(), 3)
            }
            _ => {
                let problem_type = own!("refused");
                (StatusCode::BAD_REQUEST, problem_type, "REFUSED", 3)
            }
        };
        Self {
            status,
            problem_type,
            code,
            grpc,
        }
    }
}
