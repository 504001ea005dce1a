//! No input panics, whatever a store hands over: numbers are read as they are and capped.

use aforo_core::{
    Algorithm, Edges, Log, LogEntry, Shape, State, Stored, Taken, Timestamp, Unit, Verdict,
};
use proptest::prelude::*;

use crate::sequences::cases;
use crate::spec::any_spec;

fn numbers() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        0_u64..4,
        Just(u64::MAX),
        Just(1 << 53),
        Just(1_700_000_000_000_000),
    ]
}

fn shapes() -> impl Strategy<Value = Shape> {
    let algorithms = prop_oneof![
        Just(Algorithm::TokenBucket),
        Just(Algorithm::LeakyBucket),
        Just(Algorithm::FixedWindow),
        Just(Algorithm::SlidingWindow),
        Just(Algorithm::SlidingLog),
    ];
    let units = prop_oneof![
        Just(Unit::Microsecond),
        Just(Unit::Millisecond),
        Just(Unit::Second)
    ];
    (algorithms, units, numbers()).prop_map(|(algorithm, unit, window)| Shape {
        algorithm,
        unit,
        window,
    })
}

fn states() -> impl Strategy<Value = State> {
    (numbers(), numbers(), numbers()).prop_map(|(last, first, second)| State {
        last,
        first,
        second,
    })
}

fn edges() -> impl Strategy<Value = Option<Edges>> {
    [numbers(), numbers(), numbers(), numbers()]
        .prop_map(|edges| Edges::new(edges.map(Timestamp::from_micros)))
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_state_of_any_numbers_is_read(
        spec in any_spec(), shape in proptest::option::of(shapes()), state in states(),
        now in numbers(), cost in numbers(), edges in edges(), units in numbers(),
    ) {
        let quota = spec.quota();
        let shape = shape.unwrap_or(quota.shape());
        let (stored, now) = (Stored { shape, state }, Timestamp::from_micros(now));
        let assessment = quota.assess(Some(&stored), now, edges.as_ref(), cost);
        for taken in [true, false] {
            let outcome = assessment.outcome(taken);
            prop_assert!(outcome.remaining <= quota.capacity());
            prop_assert_eq!(outcome.verdict == Verdict::Impossible, cost > quota.capacity());
            prop_assert_eq!(outcome.capacity, quota.capacity());
        }
        let kept = assessment.state(true).unwrap_or(state);
        prop_assert!(assessment.fits() || kept == state || assessment.state(false) == Some(kept));
        let own = Stored { shape: quota.shape(), state: kept };
        let taken = Taken { at: state.last, mark: state.first, ..assessment.taken() };
        for taken in [assessment.taken(), taken] {
            quota.give_back(&own, &taken, units, now);
            quota.give_back(&stored, &taken, units, now);
        }
        quota.is_neutral(&state, now);
    }

    #[test]
    fn a_log_of_any_numbers_is_read(
        spec in any_spec(), shape in shapes(), now in numbers(), cost in numbers(),
        entries in proptest::collection::vec((numbers(), numbers(), numbers()), 0..6),
        state in states(), units in numbers(),
    ) {
        let (quota, now) = (spec.quota(), Timestamp::from_micros(now));
        let entries = entries.into_iter().map(|(at, cost, id)| LogEntry { at, cost, id });
        let stored = Stored { shape, state };
        for mut log in [Log::restore(shape, entries), Log::carried(&quota, &stored)] {
            let assessment = quota.assess_log(&log, now, cost);
            for taken in [true, false] {
                prop_assert!(assessment.outcome(taken).remaining <= quota.capacity());
            }
            let taken = assessment.apply(&mut log, true);
            log.give_back(&taken, units);
            quota.assess(log.stored().as_ref(), now, None, cost).outcome(true);
            log.is_neutral(now);
        }
    }
}
