//! Why a request stops before its charges were taken.

use aforo_policy::{PathError, Refusal};

use crate::http::denial::Refused;

/// Why a request stops before its charges were taken.
#[derive(Debug)]
pub(super) enum Stopped {
    Exceeded,
    Path(PathError),
    Anonymous,
    Unverified,
    PeerUnknown,
    Refusal(Refusal),
}

impl Stopped {
    pub(super) const fn as_refused(&self) -> Refused<'_> {
        match self {
            Self::Exceeded => Refused::Exceeded,
            Self::Path(error) => Refused::Path(error),
            Self::Anonymous => Refused::Anonymous,
            Self::Unverified => Refused::Unverified,
            Self::PeerUnknown => Refused::PeerUnknown,
            Self::Refusal(refusal) => Refused::Refusal(refusal),
        }
    }
}
