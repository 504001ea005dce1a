//! The memory store passes the suite.

use aforo_store::{MemoryStore, conformance};

aforo_store::conformance_suite! {
    block_on: conformance::block_on,
    make: async |clock| MemoryStore::builder().max_keys(1_000).clock(clock).build(),
}
