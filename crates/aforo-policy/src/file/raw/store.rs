//! `[stores]`.

use super::choice::Choice;
use crate::OnStoreFailure;
use crate::file::read::{Located, Text};
use crate::file::table::table;

table! {
    /// A store: where counters are kept.
    RawStore {
        /// Where it is: `memory`, `redis://HOST` (also `rediss://`, `valkey://`,
        /// `redis+unix:///SOCKET`), `redis-cluster://HOST,HOST`, `redis-sentinel://HOST,HOST/NAME`,
        /// `memcached://HOST`, `sqlite:PATH`, `postgres://USER@HOST/DATABASE`. A password comes
        /// from a variable, `redis://:${REDIS_PASSWORD}@HOST`.
        required url: Text,
        /// How long an answer may take. Default: `50ms`.
        optional timeout: Text,
        /// What the store's failure means.
        optional on_store_failure: Choice<OnStoreFailure>,
        /// How many instances share the store; each has that share when the store fails. Writing
        /// `instances = 1` says that one instance is all there is.
        optional instances: Located<u64>,
        /// What every name in a shared store starts with, 1 to 64 of `a-z`, `0-9`, `.`, `_`, `-`:
        /// limiters with different ones count apart. Default: `aforo`.
        optional namespace: Text,
        /// The file that holds the secret that partition keys are hashed with, 32 hexadecimal
        /// digits, the same in every instance. Default: the variable `AFORO_HASH_KEY`.
        optional hash_key_file: Text,
        /// Memory: how many partition keys each table holds at most. Default: 1000000.
        optional max_keys: Located<u64>,
        /// Memory: how many entries all sliding logs share. Default: 1000000.
        optional max_log_entries: Located<u64>,
    }
}
