//! What is given back: exact when nothing came in between, otherwise never too much.

use aforo_core::{Algorithm, Shape, Taken};
use proptest::prelude::*;

use crate::calendar::Calendar;
use crate::sequences::{Ask, Move, Run, asks, cases, forward};
use crate::spec::{Kind, any_spec, delays, spec_of};

fn runs() -> impl Strategy<Value = Run> {
    let steps = proptest::collection::vec((forward(), asks()), 0..8);
    (any_spec(), steps).prop_map(|(spec, steps)| Run::after(spec, &steps))
}

fn runs_of(kinds: impl Strategy<Value = Kind>) -> impl Strategy<Value = Run> {
    let steps = proptest::collection::vec((forward(), asks()), 0..8);
    (kinds.prop_flat_map(spec_of), steps).prop_map(|(spec, steps)| Run::after(spec, &steps))
}

fn buckets() -> impl Strategy<Value = Run> {
    runs_of(prop_oneof![
        proptest::option::of(1_u64..1_000).prop_map(|burst| Kind::Token { burst }),
        delays().prop_map(|delay| Kind::Leaky { delay }),
    ])
}

fn windows() -> impl Strategy<Value = Run> {
    runs_of(prop_oneof![
        Just(Kind::Fixed),
        Just(Kind::FirstHit),
        Just(Kind::Calendar(Calendar::Months)),
        Just(Kind::Sliding),
    ])
}

/// Two runs that differ in one charge: of `cost` in the first, of `other` in the second.
fn fork(run: Run, cost: u64, other: u64) -> Option<(Run, Taken, Run)> {
    let (mut with, mut without) = (run.clone(), run);
    let (outcome, taken) = with.charge(cost);
    without.charge(other);
    outcome.is_allowed().then_some((with, taken, without))
}

fn parts(run: &Run, moved: Move, ask: Ask, part: u64) -> Option<(Run, Taken, Run, u64)> {
    let mut run = run.clone();
    run.move_by(moved);
    let cost = run.cost(ask);
    let units = (u128::from(cost) * u128::from(part) / 256) as u64;
    let (with, taken, without) = fork(run, cost, cost - units)?;
    Some((with, taken, without, units))
}

proptest! {
    #![proptest_config(cases(384))]

    #[test]
    fn at_once_it_is_as_if_less_had_been_taken(
        run in runs(), moved in forward(), ask in asks(), part in 0_u64..=256, ask2 in asks(),
    ) {
        let Some((mut with, taken, without, units)) = parts(&run, moved, ask, part) else {
            return Ok(());
        };
        with.give_back(&taken, units);
        for later in [with.now, with.now + 1_000_000] {
            let cost = without.cost(ask2);
            prop_assert_eq!(with.would(cost, later), without.would(cost, later));
        }
    }

    #[test]
    fn a_bucket_later_is_as_if_less_had_been_taken(
        run in buckets(), moved in forward(), ask in asks(), part in 0_u64..=256, wait in forward(),
    ) {
        let Some((mut with, taken, without, units)) = parts(&run, moved, ask, part) else {
            return Ok(());
        };
        with.move_by(wait);
        with.give_back(&taken, units);
        prop_assert_eq!(with.would(0, with.now), without.would(0, with.now));
    }

    #[test]
    fn after_others_it_is_never_too_much(
        run in runs(), moved in forward(), ask in asks(), part in 0_u64..=256,
        between in proptest::collection::vec((forward(), asks()), 0..8), wait in forward(),
    ) {
        let Some((mut with, taken, mut without, units)) = parts(&run, moved, ask, part) else {
            return Ok(());
        };
        for (moved, ask) in between {
            with.move_by(moved);
            without.now = with.now;
            let cost = with.cost(ask);
            // Both runs take the same: what the fuller one admits, the other admits too.
            if with.charge(cost).0.is_allowed() {
                prop_assert!(without.charge(cost).0.is_allowed());
            }
        }
        with.move_by(wait);
        let before = with.would(0, with.now).remaining;
        with.give_back(&taken, units);
        let after = with.would(0, with.now).remaining;
        prop_assert!(after >= before);
        prop_assert!(after - before <= units, "gave {} of {units}", after - before);
        prop_assert!(after <= without.would(0, with.now).remaining);
    }

    #[test]
    fn more_units_than_were_taken_give_no_more(run in runs(), moved in forward(), ask in asks()) {
        let mut run = run;
        run.move_by(moved);
        let (outcome, taken) = run.charge(run.cost(ask));
        prop_assume!(outcome.is_allowed());
        let mut greedy = run.clone();
        run.give_back(&taken, taken.cost);
        greedy.give_back(&taken, u64::MAX);
        prop_assert_eq!(run.would(0, run.now), greedy.would(0, run.now));
    }

    #[test]
    fn another_shape_gives_nothing(run in runs(), moved in forward(), ask in asks()) {
        let mut run = run;
        run.move_by(moved);
        let (_, taken) = run.charge(run.cost(ask));
        let before = run.would(0, run.now);
        for shape in other_shapes(taken.shape) {
            run.give_back(&Taken { shape, ..taken }, taken.cost);
            prop_assert_eq!(run.would(0, run.now), before);
        }
    }

    #[test]
    fn another_window_gives_nothing(
        run in windows(), moved in forward(), ask in asks(), next in asks(),
    ) {
        let mut run = run;
        run.move_by(moved);
        let (_, taken) = run.charge(run.cost(ask));
        run.now += match run.spec.kind {
            Kind::Calendar(_) => 32 * 86_400_000_000,
            _ => run.spec.window,
        };
        for _ in 0..2 {
            let before = run.would(0, run.now);
            run.give_back(&taken, taken.cost);
            prop_assert_eq!(run.would(0, run.now), before);
            run.charge(run.cost(next));
        }
    }
}

fn other_shapes(shape: Shape) -> [Shape; 2] {
    let algorithm = match shape.algorithm {
        Algorithm::TokenBucket => Algorithm::LeakyBucket,
        _ => Algorithm::TokenBucket,
    };
    let window = shape.window + 1;
    [Shape { window, ..shape }, Shape { algorithm, ..shape }]
}
