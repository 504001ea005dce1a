//! The suite on a cluster of three nodes.
//!
//! All but the random sequences of several callers on a clock that is set back. A denied batch
//! over several slots has brought the counters of its first slots to its own time before they
//! are given back, which a clock that is set back afterwards can tell: `docs/redis.md`, bounds.

use crate::stage::{CLUSTER, on_cluster, store_at};

aforo_store::conformance_suite! {
    block_on: on_cluster,
    make: async |clock| store_at(CLUSTER.url(), clock),
    but: random_sequences_with_clock_steps_equal_the_reference,
}
