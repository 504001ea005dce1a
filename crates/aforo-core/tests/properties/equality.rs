//! Decisions, remaining and waits equal the model's, over steps back and changed quotas.

use aforo_core::vectors::Counter;
use aforo_core::{Timestamp, Verdict};
use proptest::prelude::*;

use crate::calendar::Calendar;
use crate::model::{Model, Said};
use crate::sequences::{Ask, Move, START, anywhere, asks, cases};
use crate::spec::{Kind, Spec, any_spec, delays, spec_of};

type Steps = Vec<(Move, Ask, usize)>;

fn steps() -> impl Strategy<Value = Steps> {
    proptest::collection::vec((anywhere(), asks(), 0_usize..100), 1..32)
}

/// Runs both; each step may change to another of the quotas.
fn compare(specs: &[Spec], steps: &Steps) -> Result<(), TestCaseError> {
    let (mut counter, mut model) = (Counter::default(), Model::default());
    let (mut now, mut last, mut current) = (START, None, 0);
    for (moved, ask, pick) in steps {
        if *pick < 2 * specs.len() {
            current = pick % specs.len();
        }
        let spec = specs[current];
        let quota = spec.quota();
        now = moved.apply(now, &quota, last.as_ref());
        let cost = ask.cost(&quota, last.as_ref());
        let edges = spec.edges(now);
        let time = Timestamp::from_micros(now);
        let (outcome, _) = counter.charge(&quota, time, edges.as_ref(), cost);
        let found = Said {
            allowed: outcome.verdict == Verdict::Allowed,
            impossible: outcome.verdict == Verdict::Impossible,
            remaining: outcome.remaining,
            wait: outcome.wait.as_micros(),
            next: outcome.next_unit.as_micros(),
            whole: outcome.whole_again.as_micros(),
            delay: outcome.delay.as_micros(),
        };
        let said = model.charge(&spec, now, cost);
        prop_assert_eq!(
            &said,
            &found,
            "left: model; {:?} at {} cost {}",
            spec,
            now,
            cost
        );
        last = Some(outcome);
    }
    Ok(())
}

macro_rules! equal {
    ($($name:ident: $kind:expr),* $(,)?) => {
        proptest! {
            #![proptest_config(cases(64))]
            $(
                #[test]
                fn $name(spec in $kind.prop_flat_map(spec_of), steps in steps()) {
                    compare(&[spec], &steps)?;
                }
            )*
        }
    };
}

equal! {
    token_buckets: any::<Option<u8>>().prop_map(|burst| Kind::Token {
        burst: burst.map(|burst| u64::from(burst) + 1),
    }),
    leaky_buckets: delays().prop_map(|delay| Kind::Leaky { delay }),
    fixed_windows: Just(Kind::Fixed),
    windows_from_the_first_hit: Just(Kind::FirstHit),
    calendar_hours: Just(Kind::Calendar(Calendar::Hours)),
    calendar_months: Just(Kind::Calendar(Calendar::Months)),
    sliding_windows: Just(Kind::Sliding),
    sliding_logs: Just(Kind::Log),
}

/// The same quota with another burst, delay or amount: mostly of the same shape.
fn alike(spec: Spec) -> impl Strategy<Value = Vec<Spec>> {
    proptest::collection::vec((1_u64..=40, 1_u64..=4), 1..4).prop_map(move |changes| {
        let changed = changes.iter().map(|(size, factor)| {
            let kind = match spec.kind {
                Kind::Token { .. } => Kind::Token { burst: Some(*size) },
                Kind::Leaky { delay } => Kind::Leaky {
                    delay: delay / factor,
                },
                other => other,
            };
            let amount = (spec.amount / factor).max(1);
            Spec {
                kind,
                amount,
                ..spec
            }
        });
        let accepted = changed.filter(|spec| spec.try_quota().is_ok());
        std::iter::once(spec).chain(accepted).collect()
    })
}

/// Only one calendar in a sequence: which of two a state was written in is not kept.
fn one_calendar(specs: Vec<Spec>) -> Vec<Spec> {
    let change = |spec: Spec| match spec.kind {
        Kind::Calendar(_) => Spec {
            kind: Kind::Calendar(Calendar::Months),
            ..spec
        },
        _ => spec,
    };
    specs.into_iter().map(change).collect()
}

proptest! {
    #![proptest_config(cases(96))]
    #[test]
    fn changed_quotas(
        specs in proptest::collection::vec(any_spec(), 2..5).prop_map(one_calendar),
        steps in steps(),
    ) {
        compare(&specs, &steps)?;
    }

    #[test]
    fn changed_numbers(specs in any_spec().prop_flat_map(alike), steps in steps()) {
        compare(&specs, &steps)?;
    }

    #[test]
    fn every_kind_of_quota(spec in any_spec(), steps in steps()) {
        compare(&[spec], &steps)?;
    }

    #[test]
    fn units_and_shapes(spec in any_spec()) {
        let shape = spec.quota().shape();
        prop_assert_eq!((shape.unit.micros(), shape.window), spec.unit_and_shape());
    }
}
