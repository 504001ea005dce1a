//! The suite on a cluster of three nodes.
//!
//! All but the random sequences of several callers on a clock that is set back. A denied batch
//! over several slots has brought the counters of its first slots to its own time before they
//! are given back, which a clock that is set back afterwards can tell: `docs/redis.md`, bounds.

use crate::stage::{CLUSTER, on_cluster, store_at};

aforo_store::conformance_suite! {
    block_on: on_cluster,
    make: async |clock| store_at(CLUSTER.url(), clock),
    cases:
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
