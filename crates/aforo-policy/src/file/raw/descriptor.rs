//! `[[descriptors]]`.

use super::PolicyEntry;
use crate::file::read::{List, Text};
use crate::file::table::table;

table! {
    /// What a descriptor of Envoy's rate limit service is counted by.
    RawDescriptor {
        /// The domain that Envoy's rate limit filter names.
        required domain: Text,
        /// The entries of the descriptor, all of them and in its order.
        required entries: List<RawEntry>,
        /// Quotas, references or inline tables. Without any the descriptor is not counted, which
        /// exempts it from a less specific table.
        optional policies: List<PolicyEntry>,
    }
}

table! {
    /// One entry of a descriptor.
    RawEntry {
        /// Its key.
        required key: Text,
        /// Its value: the whole value, or how it begins, followed by `*`. Without it: any.
        optional value: Text,
    }
}
