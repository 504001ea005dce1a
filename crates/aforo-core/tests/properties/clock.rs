//! The clock rule: what a step back may and may not do.

use proptest::prelude::*;

use crate::sequences::{Ask, END, Move, Run, asks, cases, forward};
use crate::spec::{Kind, any_spec};

const MINUTE: u64 = 60_000_000;

/// A run whose last step was an admitted charge of at least one unit.
fn charged() -> impl Strategy<Value = Run> {
    let steps = proptest::collection::vec((forward(), asks()), 0..12);
    (any_spec(), steps).prop_map(|(spec, steps)| {
        let mut run = Run::after(spec, &steps);
        if run.charge(1).0.is_allowed() {
            return run;
        }
        run.now += run.last.map_or(0, |outcome| outcome.wait.as_micros());
        run.charge(1);
        run
    })
}

fn whole_again(run: &Run) -> u64 {
    run.would(0, run.now).whole_again.as_micros()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_small_step_back_counts_as_the_last_charge(run in charged(), part in 0_u64..=256, ask in asks()) {
        let unit = run.spec.unit_and_shape().0;
        let at = run.now - run.now % unit;
        let tolerated = whole_at_last(&run).max(MINUTE);
        let back = (u128::from(tolerated - tolerated % unit) * u128::from(part) / 256) as u64;
        prop_assume!(back < at);
        let cost = run.cost(ask);
        let (then, now) = (run.would(cost, at), run.would(cost, at - back));
        prop_assert_eq!(then.verdict, now.verdict);
        prop_assert_eq!(then.remaining, now.remaining);
        let later = |span: aforo_core::Span| match span.is_zero() {
            true => 0,
            false => span.as_micros() + back,
        };
        prop_assert_eq!(later(then.wait), now.wait.as_micros());
        prop_assert_eq!(later(then.next_unit), now.next_unit.as_micros());
        prop_assert_eq!(later(then.whole_again), now.whole_again.as_micros());
    }

    #[test]
    fn a_large_step_back_locks_nobody_out(run in charged(), more in 1_u64..1_000_000_000_000) {
        let back = whole_at_last(&run).max(MINUTE) + run.spec.unit_and_shape().0 + more;
        prop_assume!(back + 1_000_000_000_000 < run.now);
        let mut run = run;
        run.now -= back;
        // A denied charge is enough for the state to move, so the ordinary waits hold from here.
        let (outcome, _) = run.charge(run.quota.capacity());
        let longest = longest_ordinary_wait(&run);
        prop_assert!(outcome.whole_again.as_micros() <= longest);
        if !outcome.is_allowed() && outcome.wait.as_micros() < END {
            run.now += outcome.wait.as_micros();
            prop_assert!(run.charge(run.quota.capacity()).0.is_allowed());
        }
    }

    #[test]
    fn nobody_waits_longer_than_the_tolerance_and_the_ordinary_wait(
        run in charged(), back in 0_u64..1_000_000_000_000,
    ) {
        prop_assume!(back + 1_000_000_000_000 < run.now);
        let tolerated = whole_at_last(&run).max(MINUTE) + run.spec.unit_and_shape().0;
        let outcome = run.would(run.quota.capacity(), run.now - back);
        prop_assert!(outcome.wait.as_micros() <= tolerated.saturating_add(longest_ordinary_wait(&run)));
    }

    #[test]
    fn a_step_back_gives_nothing(run in charged(), back in 0_u64..1_000_000_000_000) {
        prop_assume!(back + 1_000_000_000_000 < run.now);
        let mut earlier = run.clone();
        earlier.move_by(Move::Back(back));
        let gained = earlier.would(0, earlier.now).remaining;
        let had = run.would(0, run.now).remaining;
        match run.spec.kind {
            // The window before weighs by where in its window the time lies: less than a refill.
            Kind::Sliding => prop_assert!(gained < run.quota.capacity()),
            _ => prop_assert!(gained <= had, "{gained} > {had}"),
        }
    }

    #[test]
    fn to_and_fro_admits_no_more_than_a_refill_for_each_return(
        run in charged(), jumps in 1_u64..6, ask in asks(),
    ) {
        let mut run = run;
        let (start, mut admitted) = (run.now, 0_u128);
        for _ in 0..jumps {
            for back in [true, false] {
                run.now = if back { start / 2 } else { start };
                for _ in 0..3 {
                    let cost = run.cost(ask);
                    if run.charge(cost).0.is_allowed() {
                        admitted += u128::from(cost);
                    }
                }
            }
        }
        let refills = u128::from(jumps) * u128::from(run.quota.capacity());
        prop_assert!(admitted <= refills + u128::from(run.quota.capacity()));
    }
}

/// Whole again, seen from the last charge's time rounded down to the unit.
fn whole_at_last(run: &Run) -> u64 {
    let unit = run.spec.unit_and_shape().0;
    match whole_again(run) {
        0 => 0,
        whole => whole + run.now % unit,
    }
}

/// How long a full quota takes to be whole again, at most.
fn longest_ordinary_wait(run: &Run) -> u64 {
    let mut full = Run::new(run.spec);
    let cost = full.cost(Ask::Capacity(0));
    let (outcome, _) = full.charge(cost);
    let unit = run.spec.unit_and_shape().0;
    match run.spec.kind {
        Kind::Token { .. } => outcome.whole_again.as_micros().saturating_add(2 * unit),
        // A full one holds what drains within the delay, and the request that then passes.
        Kind::Leaky { delay } => delay + run.spec.window.div_ceil(run.spec.amount) + 2 * unit,
        Kind::Calendar(_) => 32 * 86_400_000_000,
        _ => 2 * run.spec.window,
    }
}
