//! The token bucket decides as GCRA does: the theoretical arrival time of ITU-T I.371 and the
//! ATM Forum's Traffic Management 4.0, in exact rationals.

use aforo_core::Verdict;
use num_rational::BigRational;
use proptest::prelude::*;

use crate::model::{ratio, whole};
use crate::sequences::{Run, asks, cases, forward};
use crate::spec::{Kind, Spec, spec_of};

/// The increment is window/amount, the limit (burst − 1) increments.
struct Gcra {
    arrival: BigRational,
    increment: BigRational,
    limit: BigRational,
}

impl Gcra {
    fn new(spec: &Spec, burst: u64) -> Self {
        let increment = ratio(spec.window, spec.amount);
        Self {
            arrival: whole(0),
            limit: whole(burst - 1) * &increment,
            increment,
        }
    }

    /// A cell of `cost` increments conforms when it comes no earlier than the last of them may.
    fn earliest(&self, now: &BigRational, cost: u64) -> BigRational {
        let start = self.arrival.clone().max(now.clone());
        start + whole(cost - 1) * &self.increment - &self.limit
    }

    fn cell(&mut self, now: &BigRational, cost: u64) -> bool {
        if self.earliest(now, cost) > *now {
            return false;
        }
        let start = self.arrival.clone().max(now.clone());
        self.arrival = start + whole(cost) * &self.increment;
        true
    }
}

proptest! {
    #![proptest_config(cases(256))]
    #[test]
    fn a_token_bucket_decides_as_gcra(
        spec in prop_oneof![Just(None), (1_u64..1_000).prop_map(Some)]
            .prop_flat_map(|burst| spec_of(Kind::Token { burst })),
        steps in proptest::collection::vec((forward(), asks()), 1..40),
    ) {
        let Kind::Token { burst } = spec.kind else { unreachable!() };
        let (mut run, unit) = (Run::new(spec), spec.unit_and_shape().0);
        let burst = burst.unwrap_or(spec.amount);
        let mut gcra = Gcra::new(&spec, burst);
        for (moved, ask) in steps {
            run.move_by(moved);
            let cost = run.cost(ask).clamp(1, burst);
            let now = whole(run.now - run.now % unit);
            let earliest = gcra.earliest(&now, cost);
            let conforms = gcra.cell(&now, cost);
            let (outcome, _) = run.charge(cost);
            prop_assert_eq!(conforms, outcome.verdict == Verdict::Allowed);
            if !conforms {
                let unit = whole(unit);
                let instant = (earliest / &unit).ceil() * unit;
                prop_assert_eq!(instant, whole(run.now + outcome.wait.as_micros()));
            }
        }
    }
}
