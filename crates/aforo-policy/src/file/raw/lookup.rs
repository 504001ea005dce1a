//! `lookup` in `[identity]`.

use super::choice::Choice;
use crate::file::read::{Located, Text};
use crate::file::table::{table, words};
use crate::{OnLookupFailure, Secret};

table! {
    /// An endpoint that says whose an API key is, for keys that are not in this file.
    RawLookup {
        /// Where it is asked: `POST` with the JSON document `{"api_key": "…"}`. It answers with
        /// `{"consumer": "…", "plan": "…", "team": "…", "org": "…"}`, or 404 for a key that is
        /// nobody's. Left out: the application brings its own lookup, and what follows holds for
        /// that.
        optional url: Text,
        /// The bearer token it is asked with.
        optional token: Secret,
        /// How long an answer may take. Default: `1s`.
        optional timeout: Text,
        /// How long a consumer is remembered; so long a revoked key still works. Default: `30s`.
        optional cache: Text,
        /// How long it is remembered that a key is nobody's. Default: `5s`.
        optional cache_unknown: Text,
        /// How long after that a consumer is still known while no answer comes. Default: `1h`.
        optional stale: Text,
        /// How many keys of consumers are remembered at most. Default: 65536.
        optional max_known: Located<u64>,
        /// How many keys that are nobody's are remembered at most. Default: 16384.
        optional max_unknown: Located<u64>,
        /// What a caller is whose key is not remembered while no answer comes.
        optional on_failure: Choice<OnLookupFailure>,
    }
}

words!(OnLookupFailure {
    "anonymous" => Self::Anonymous, "An anonymous one, charged to its address. The default.";
    "deny" => Self::Deny, "It gets 503.";
});
