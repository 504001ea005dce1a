//! Why a request does not go on.

use aforo_policy::{PathError, Refusal};

/// Why a request does not go on.
#[derive(Clone, Copy, Debug)]
pub enum Refused<'a> {
    /// 429: policies marked `violated` in what is shown; without Retry-After when one of them has
    /// quota 0.
    Exceeded,
    /// 422: it costs more than a policy's capacity (those marked `violated`).
    Impossible,
    /// 400, 403 or 415, before anything was charged.
    Refusal(&'a Refusal),
    /// 400: the path cannot be made canonical.
    Path(&'a PathError),
    /// 401: callers without a verified credential are not served.
    Anonymous,
    /// 503: whoever knows the caller's credential did not answer, and `on_failure` says `deny`.
    Unverified,
    /// 413: the body is larger than what is read for partition keys.
    BodyTooLarge {
        /// The most bytes that are read.
        most: usize,
    },
    /// 503: the store failed and the policy says `deny`.
    StoreFailed,
    /// 500: the application did not say who the peer is (axum: `ConnectInfo` is absent).
    PeerUnknown,
}
