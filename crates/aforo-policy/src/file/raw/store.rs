//! `[stores]`.

use super::choice::Choice;
use crate::OnStoreFailure;
use crate::file::read::{Located, Text};
use crate::file::table::table;

table! {
    /// A store: where counters are kept.
    RawStore {
        /// `memory`.
        required url: Text,
        /// How long an answer may take. Default: `50ms`.
        optional timeout: Text,
        /// What the store's failure means.
        optional on_store_failure: Choice<OnStoreFailure>,
        /// How many instances share the store; each has that share when the store fails. Writing
        /// `instances = 1` says that one instance is all there is.
        optional instances: Located<u64>,
        /// Memory: how many partition keys each table holds at most. Default: 1000000.
        optional max_keys: Located<u64>,
        /// Memory: how many entries all sliding logs share. Default: 1000000.
        optional max_log_entries: Located<u64>,
    }
    later { "namespace", "hash_key_file" }
}
