//! What the answer depends on beside the policies.

use ::http::HeaderMap;
use aforo_core::{Span, Timestamp};
use aforo_policy::{Cors, Credential, Identity};

use super::DecisionId;

/// What the answer depends on beside the policies.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The request's headers.
    pub headers: &'a HeaderMap,
    /// What became of the caller's credential.
    pub credential: Credential,
    /// Where credentials are read, for the challenge of a 401.
    pub identity: &'a Identity,
    /// Pages that may read the answer.
    pub cors: Option<&'a Cors>,
    /// Now, for answers to which no store gave a time.
    pub now: Timestamp,
    /// What this answer adds to its wait.
    pub jitter: Span,
    /// What the request's GraphQL operations cost, where the route takes such: it is answered in
    /// their shape.
    pub operations: Option<u64>,
    /// The answer's id, to find it in logs.
    pub id: DecisionId,
}
