//! The suite on one server.

use crate::stage::{SINGLE, on_single, store_at};

aforo_store::conformance_suite! {
    block_on: on_single,
    make: async |clock| store_at(SINGLE.url(), clock),
}
