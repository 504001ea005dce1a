//! Waits are exact, remaining is true, and a charge never raises it.

use aforo_core::Verdict;
use proptest::prelude::*;

use crate::sequences::{Ask, END, Run, YEAR, anywhere, asks, cases};
use crate::spec::{Spec, any_spec};

fn runs() -> impl Strategy<Value = Run> {
    let steps = proptest::collection::vec((anywhere(), asks()), 1..12);
    (any_spec(), steps).prop_map(|(spec, steps)| Run::after(spec, &steps))
}

/// A charge of `cost` fits after exactly `wait`, and not a microsecond before.
fn fits_after(run: &Run, cost: u64, wait: u64) -> Result<(), TestCaseError> {
    // A bucket may take longer to drain than there are timestamps: those waits saturate.
    if run.now.saturating_add(wait) > END {
        return Ok(());
    }
    let early = run.would(cost, run.now + wait - 1);
    prop_assert_eq!(early.verdict, Verdict::Denied, "1 µs too early");
    prop_assert_eq!(early.wait.as_micros(), 1);
    let on_time = run.would(cost, run.now + wait);
    prop_assert_eq!(on_time.verdict, Verdict::Allowed, "after the wait");
    Ok(())
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn denied_until_exactly_the_wait_then_allowed(run in runs(), moved in anywhere(), ask in asks()) {
        let mut run = run;
        run.move_by(moved);
        let cost = run.cost(ask);
        let (outcome, _) = run.charge(cost);
        match outcome.verdict {
            Verdict::Denied => fits_after(&run, cost, outcome.wait.as_micros())?,
            Verdict::Impossible => prop_assert!(cost > run.quota.capacity()),
            Verdict::Allowed => prop_assert!(outcome.wait.is_zero()),
        }
        if !outcome.next_unit.is_zero() {
            fits_after(&run, outcome.remaining + 1, outcome.next_unit.as_micros())?;
        }
        if !outcome.whole_again.is_zero() {
            fits_after(&run, outcome.capacity, outcome.whole_again.as_micros())?;
        }
    }

    #[test]
    fn remaining_is_what_fits(run in runs(), moved in anywhere()) {
        let mut run = run;
        run.move_by(moved);
        let remaining = run.would(0, run.now).remaining;
        prop_assert!(remaining <= run.quota.capacity());
        prop_assert_eq!(run.would(remaining, run.now).verdict, Verdict::Allowed);
        prop_assert_ne!(run.would(remaining + 1, run.now).verdict, Verdict::Allowed);
    }

    #[test]
    fn a_charge_lowers_remaining_by_its_cost_or_leaves_it(
        run in runs(), moved in anywhere(), ask in asks(),
    ) {
        let mut run = run;
        run.move_by(moved);
        let before = run.would(0, run.now).remaining;
        let cost = run.cost(ask);
        let (outcome, _) = run.charge(cost);
        let taken = if outcome.is_allowed() { cost } else { 0 };
        prop_assert_eq!(outcome.remaining, before - taken);
        prop_assert_eq!(outcome.whole_again.is_zero() && outcome.next_unit.is_zero(),
            outcome.whole_again.is_zero());
    }

    #[test]
    fn a_lone_caller_that_waits_whole_seconds_is_admitted(spec in any_spec(), ask in asks()) {
        let mut run = Run::new(spec);
        let cost = run.cost(ask).clamp(1, run.quota.capacity());
        for _ in 0..20 {
            let (outcome, _) = run.charge(cost);
            if outcome.verdict == Verdict::Denied {
                let seconds = outcome.wait.as_seconds_ceil();
                prop_assume!(run.now.saturating_add(outcome.wait.as_micros()) < END);
                prop_assert!(seconds >= 1);
                run.now += seconds * 1_000_000;
                prop_assert!(run.charge(cost).0.is_allowed());
            }
        }
    }

    #[test]
    fn denials_change_nothing(run in runs(), tries in proptest::collection::vec(0_u64..5_000_000, 1..20)) {
        let mut run = run;
        let start = run.now;
        let (outcome, _) = run.charge(run.quota.capacity());
        prop_assume!(outcome.verdict == Verdict::Denied);
        prop_assume!(outcome.wait.as_micros() < END);
        // However often it is tried before its time, the time stays the same.
        let allowed_at = start + outcome.wait.as_micros();
        for step in tries {
            run.now = (run.now + step).min(allowed_at - 1);
            let (outcome, _) = run.charge(run.quota.capacity());
            prop_assert_eq!(run.now + outcome.wait.as_micros(), allowed_at);
        }
    }

    #[test]
    fn whole_after_a_hundred_years(run in runs()) {
        let mut run = run;
        run.charge(run.quota.capacity());
        let whole_again = run.would(0, run.now).whole_again.as_micros();
        prop_assume!(whole_again <= 100 * YEAR);
        run.now += 100 * YEAR;
        let fresh = Run { now: run.now, ..Run::new(run.spec) };
        prop_assert_eq!(run.would(0, run.now), fresh.would(0, fresh.now));
        prop_assert!(run.charge(run.quota.capacity()).0.is_allowed());
    }

    #[test]
    fn a_neutral_state_can_be_dropped(run in runs(), moved in anywhere(), ask in asks()) {
        let mut run = run;
        run.move_by(moved);
        let now = aforo_core::Timestamp::from_micros(run.now);
        let is_neutral = match (run.counter.state(), run.counter.log()) {
            (Some(stored), _) => run.quota.is_neutral(&stored.state, now),
            (_, Some(log)) => log.is_neutral(now),
            _ => true,
        };
        let outcome = run.would(0, run.now);
        let is_whole = outcome.whole_again.is_zero();
        // A leaky bucket with a part of a unit to spare is whole a little before it is empty.
        prop_assert!(is_whole || !is_neutral);
        if is_neutral {
            let mut dropped = run.clone();
            dropped.counter.forget();
            for later in [run.now, run.now + 1, run.now + 10_000_000] {
                let cost = run.cost(ask);
                prop_assert_eq!(run.would(cost, later), dropped.would(cost, later));
            }
        }
    }
}

#[test]
fn a_state_is_neutral_once_whole() {
    let minute = 60_000_000;
    let kinds = [
        crate::spec::Kind::Token { burst: None },
        crate::spec::Kind::Fixed,
        crate::spec::Kind::FirstHit,
        crate::spec::Kind::Sliding,
    ];
    for kind in kinds {
        let mut run = Run::new(Spec {
            kind,
            amount: 10,
            window: minute,
        });
        let (outcome, _) = run.charge(run.cost(Ask::Units(7)));
        let whole = run.now + outcome.whole_again.as_micros();
        let state = run.counter.state().unwrap().state;
        let at = aforo_core::Timestamp::from_micros;
        assert!(!run.quota.is_neutral(&state, at(whole - 1)), "{kind:?}");
        assert!(run.quota.is_neutral(&state, at(whole)), "{kind:?}");
    }
}
