//! What each algorithm admits at most, in every span of every sequence forward in time.
//!
//! Spans are measured in the quota's own unit, as every time is rounded down to it.

use num_rational::BigRational;
use proptest::prelude::*;

use crate::model::{ratio, whole};
use crate::sequences::{Ask, Move, Run, asks, cases, forward};
use crate::spec::{Kind, Spec, delays, spec_of};

/// Times, rounded down to the unit, and units of what was admitted.
fn admitted(spec: Spec, steps: &[(Move, Ask)]) -> Vec<(u64, u64)> {
    let (unit, mut run, mut admitted) = (spec.unit_and_shape().0, Run::new(spec), Vec::new());
    for (moved, ask) in steps {
        run.move_by(*moved);
        let cost = run.cost(*ask);
        if run.charge(cost).0.is_allowed() {
            admitted.push((run.now - run.now % unit, cost));
        }
    }
    admitted
}

/// Every span that starts and ends with an admitted charge: how long, and how much.
fn spans(admitted: &[(u64, u64)]) -> impl Iterator<Item = (u64, u128)> + '_ {
    (0..admitted.len()).flat_map(move |first| {
        let mut sum = 0;
        admitted[first..].iter().map(move |(time, cost)| {
            sum += u128::from(*cost);
            (time - admitted[first].0, sum)
        })
    })
}

fn steps() -> impl Strategy<Value = Vec<(Move, Ask)>> {
    proptest::collection::vec((forward(), asks()), 1..48)
}

fn flows_back(spec: &Spec, room: &BigRational, span: u64) -> BigRational {
    room + ratio(span, 1) * ratio(spec.amount, spec.window)
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn a_token_bucket_admits_its_burst_and_what_flows_back(
        spec in prop_oneof![Just(None), (1_u64..1_000).prop_map(Some)]
            .prop_flat_map(|burst| spec_of(Kind::Token { burst })),
        steps in steps(),
    ) {
        let Kind::Token { burst } = spec.kind else { unreachable!() };
        let room = whole(burst.unwrap_or(spec.amount));
        for (span, sum) in spans(&admitted(spec, &steps)) {
            prop_assert!(whole(sum) <= flows_back(&spec, &room, span), "{sum} in {span} µs");
        }
    }

    #[test]
    fn a_leaky_bucket_forwards_evenly(
        spec in delays().prop_flat_map(|delay| spec_of(Kind::Leaky { delay })),
        steps in steps(),
    ) {
        let unit = spec.unit_and_shape().0;
        let mut run = Run::new(spec);
        let mut free_at = whole(0);
        for (moved, ask) in steps {
            run.move_by(moved);
            let cost = run.cost(ask);
            let (outcome, _) = run.charge(cost);
            if !outcome.is_allowed() || cost == 0 {
                prop_assert!(outcome.delay.is_zero());
                continue;
            }
            let Kind::Leaky { delay } = spec.kind else { unreachable!() };
            prop_assert!(outcome.delay.as_micros() <= delay);
            // Forwarded when all before has drained, and less than a unit later.
            let forwarded = whole(run.now + outcome.delay.as_micros());
            prop_assert!(forwarded >= free_at);
            let arrived = whole(run.now - run.now % unit);
            let start = free_at.clone().max(arrived);
            prop_assert!(forwarded < &start + whole(unit));
            free_at = start + whole(cost) * ratio(spec.window, spec.amount);
        }
    }

    #[test]
    fn a_fixed_window_admits_its_amount_and_twice_that_across_an_edge(
        spec in prop_oneof![Just(Kind::Fixed), Just(Kind::FirstHit)].prop_flat_map(spec_of),
        steps in steps(),
    ) {
        let admitted = admitted(spec, &steps);
        for (span, sum) in spans(&admitted) {
            if span < spec.window {
                prop_assert!(sum <= 2 * u128::from(spec.amount));
            }
        }
        if spec.kind == Kind::Fixed {
            let window = |time: u64| time / spec.window;
            for (time, _) in &admitted {
                let same = admitted.iter().filter(|(other, _)| window(*other) == window(*time));
                prop_assert!(same.map(|(_, cost)| u128::from(*cost)).sum::<u128>() <= spec.amount.into());
            }
        }
    }

    #[test]
    fn a_sliding_window_admits_less_than_twice_its_amount(
        spec in spec_of(Kind::Sliding),
        steps in steps(),
    ) {
        for (span, sum) in spans(&admitted(spec, &steps)) {
            if span < spec.window {
                prop_assert!(sum < 2 * u128::from(spec.amount), "{sum} in {span} µs");
            }
        }
    }

    #[test]
    fn a_sliding_log_admits_its_amount_in_every_window(
        spec in spec_of(Kind::Log),
        steps in steps(),
    ) {
        for (span, sum) in spans(&admitted(spec, &steps)) {
            if span < spec.window {
                prop_assert!(sum <= spec.amount.into(), "{sum} in {span} µs");
            }
        }
    }
}

#[test]
fn a_sliding_window_at_its_worst_passes_199_of_100_in_59_4_seconds() {
    let spec = Spec {
        kind: Kind::Sliding,
        amount: 100,
        window: 60_000_000,
    };
    let mut run = Run::new(spec);
    let edge = 1_700_000_040_000_000;
    run.now = edge - 1;
    assert!(run.charge(100).0.is_allowed());
    let mut passed = 100;
    while run.now <= edge + 59_400_000 {
        let outcome = run.charge(1).0;
        match outcome.is_allowed() {
            true => passed += 1,
            false => run.now += outcome.wait.as_micros(),
        }
    }
    // One fits 0.6 s into the next window, then one each 0.6 s: the 99th at 59.4 s.
    assert_eq!(passed, 199);
}
