//! The suite that every store passes.
//!
//! A store's tests call [`conformance_suite!`](crate::conformance_suite) with a way to block on
//! a future and a way to make an empty store that reads a given clock; each case becomes a test
//! of its own, named as in [`cases`].
//!
//! ```
//! use aforo_store::{MemoryStore, conformance};
//! let make = async |clock| MemoryStore::builder().clock(clock).build();
//! conformance::block_on(conformance::cases::rl_33_equal_numbers_count_apart(&make));
//! ```
//!
//! The cases compare with literal numbers, with the golden vectors of `aforo-core`, and, in
//! [`cases::random_sequences_equal_the_reference`], with a map of what the pure core says, to the
//! bit. What a neutral state still says after its policy changed shape is left to the store: it
//! may be kept, expire or be dropped.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a suite fails by panicking"
)]

mod accuracy;
mod caller;
mod changes;
mod corrections;
mod extremes;
mod random;
mod reference;
mod requests;
mod sequence;

/// The cases, each an async function of a way to make a store.
pub mod cases {
    pub use super::accuracy::*;
    pub use super::changes::*;
    pub use super::corrections::*;
    pub use super::extremes::*;
    pub use super::requests::*;
}

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future on this thread: enough for a store that needs no runtime.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        thread::park();
    }
}

/// Makes a test of each case of the suite.
///
/// `block_on` is a function that runs a future to its end; `make` an async closure that makes an
/// empty store reading the clock it is given.
///
/// ```
/// # use aforo_store::{MemoryStore, conformance};
/// aforo_store::conformance_suite! {
///     block_on: conformance::block_on,
///     make: async |clock| MemoryStore::builder().clock(clock).build(),
/// }
/// ```
#[macro_export]
macro_rules! conformance_suite {
    (block_on: $block_on:path, make: $make:expr $(,)?) => {
        $crate::conformance_suite! {
            block_on: $block_on, make: $make,
            but: random_sequences_with_clock_steps_equal_the_reference
        }
        $crate::conformance_suite! { @cases $block_on, $make,
            random_sequences_with_clock_steps_equal_the_reference
        }
    };
    // The one case that a store may leave out, when it says why.
    (
        block_on: $block_on:path, make: $make:expr,
        but: random_sequences_with_clock_steps_equal_the_reference $(,)?
    ) => {
        $crate::conformance_suite! { @cases $block_on, $make,
            golden_vectors
            random_sequences_equal_the_reference
            random_sequences_of_one_caller_with_clock_steps_equal_the_reference
            random_sequences_with_changed_quotas_equal_the_reference
            all_or_nothing
            a_shadow_charge_never_blocks
            a_denial_is_counted_up_to_the_capacity
            a_policy_named_twice_counts_once
            peeking_takes_nothing
            callers_of_either_kind_count_apart
            an_empty_batch_is_taken
            rl_04_a_burst_at_once_is_not_let_through
            rl_14_new_callers_do_not_free_a_blocked_one
            rl_21_a_blocked_request_spends_nothing
            rl_30_two_windows_on_one_caller_count_apart
            rl_33_equal_numbers_count_apart
            rlx_15_a_window_ends_for_its_caller_alone
            rlx_34_the_store_s_time_decides
            rl_28_an_unchanged_policy_keeps_its_state
            rl_35_a_changed_quota_holds_at_once
            rl_58_a_raised_and_lowered_quota_saturates
            rlx_33_a_shorter_window_ends_sooner
            another_algorithm_takes_over_what_was_used
            a_refund_gives_back_what_was_taken
            settling_corrects_the_cost
            a_window_is_corrected_while_it_lasts
            a_reset_frees_one_caller
            rl_54_a_window_longer_than_a_month_counts
            rlx_23_a_low_rate_is_taken_at_first
            rlx_43_a_rate_above_the_resolution_counts
            a_century_makes_every_counter_neutral
        }
    };
    (@cases $block_on:path, $make:expr, $($case:ident)*) => {
        $(
            #[test]
            fn $case() {
                $block_on($crate::conformance::cases::$case(&$make));
            }
        )*
    };
}
