//! In any span all instances admit at most `instances × ⌊capacity / 10⌋` more than one store.

use aforo_core::Terms;
use proptest::prelude::*;

use super::scene::{Scene, bucket, done, fixed, sliding};
use aforo_store::Store;

const INSTANCES: usize = 3;

/// One step of a run.
#[derive(Clone, Debug)]
struct Step {
    instance: usize,
    cost: u64,
    /// What passes before it.
    micros: u64,
    /// Which earlier request is given back instead.
    refund: Option<prop::sample::Index>,
}

/// When how much was admitted.
type Admitted = Vec<(u64, u64)>;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let micros = prop_oneof![
        6 => Just(0_u64),
        6 => 0..3_000_u64,
        3 => 0..200_000_u64,
        1 => 0..2_500_000_u64,
    ];
    let cost = prop_oneof![8 => Just(1_u64), 2 => 0..6_u64];
    let refund = prop::option::weighted(0.08, any::<prop::sample::Index>());
    let step =
        (0..INSTANCES, cost, micros, refund).prop_map(|(instance, cost, micros, refund)| Step {
            instance,
            cost,
            micros,
            refund,
        });
    prop::collection::vec(step, 1..600)
}

/// What a run admits; what was given back counts as never admitted.
fn run(terms: &Terms, steps: &[Step]) -> Admitted {
    let scene = Scene::new(INSTANCES);
    let mut admitted = Admitted::new();
    let mut receipts = Vec::new();
    for step in steps {
        scene
            .clock
            .advance(aforo_core::Span::from_micros(step.micros));
        match &step.refund {
            Some(which) if !receipts.is_empty() => {
                let (instance, place, receipt) = receipts.swap_remove(which.index(receipts.len()));
                let instance: usize = instance;
                done(scene.instances[instance].refund(receipt));
                let place: usize = place;
                admitted[place].1 = 0;
            }
            _ => {
                let charged = scene.charge(step.instance, terms, step.cost);
                if charged.taken {
                    receipts.push((step.instance, admitted.len(), charged.receipt));
                    let now = aforo_store::Clock::now(&scene.clock).as_micros();
                    admitted.push((now, step.cost));
                }
            }
        }
    }
    admitted
}

/// The most that a span admits beyond `allowed(its microseconds)`.
fn excess(admitted: &Admitted, allowed: impl Fn(u64) -> u64) -> i128 {
    let mut most = i128::MIN;
    for (first, (from, _)) in admitted.iter().enumerate() {
        let mut sum = 0_u64;
        for (to, units) in &admitted[first..] {
            sum += units;
            most = most.max(i128::from(sum) - i128::from(allowed(to - from)));
        }
    }
    most
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_bucket_admits_a_tenth_more_for_each_instance(
        amount in 1..400_u64, burst in 1..120_u64, steps in steps()
    ) {
        let admitted = run(&bucket(amount, 1, burst), &steps);
        let exact = |micros: u64| burst + micros * amount / 1_000_000;
        let extra = i128::from(INSTANCES as u64 * (burst / 10));
        prop_assert!(excess(&admitted, exact) <= extra);
    }

    #[test]
    fn a_slow_bucket_admits_no_more_than_flows_back_in_a_second(
        burst in 10..120_u64, steps in steps()
    ) {
        let admitted = run(&bucket(2, 1, burst), &steps);
        let exact = |micros: u64| burst + micros * 2 / 1_000_000;
        prop_assert!(excess(&admitted, exact) <= 2);
    }

    #[test]
    fn a_fixed_window_admits_its_quota(quota in 1..200_u64, seconds in 1..4_u64, steps in steps()) {
        let admitted = run(&fixed(quota, seconds), &steps);
        for sum in by_window(&admitted, seconds) {
            prop_assert!(sum <= quota);
        }
    }

    #[test]
    fn a_sliding_window_admits_a_tenth_more_for_each_instance(
        quota in 1..200_u64, seconds in 1..4_u64, steps in steps()
    ) {
        let admitted = run(&sliding(quota, seconds), &steps);
        for sum in by_window(&admitted, seconds) {
            prop_assert!(sum <= quota + INSTANCES as u64 * (quota / 10));
        }
    }
}

/// What was admitted in each window that is aligned to the epoch.
fn by_window(admitted: &Admitted, seconds: u64) -> Vec<u64> {
    let mut sums = std::collections::BTreeMap::<u64, u64>::new();
    for (at, units) in admitted {
        *sums.entry(at / (seconds * 1_000_000)).or_default() += units;
    }
    sums.into_values().collect()
}

#[test]
fn the_bound_is_reached_and_no_more() {
    let scene = Scene::new(INSTANCES);
    let terms = bucket(1_000, 1, 100);
    // Advances of 4, 8 and then a tenth of the capacity; as much flows back as is taken.
    for instance in 0..INSTANCES {
        for _ in 0..16 {
            assert!(scene.admits(instance, &terms, 1));
            scene.millis(10);
        }
        assert_eq!(scene.instances[instance].stats().leases, 3);
    }
    scene.millis(200);
    assert_eq!(
        scene.remaining(&terms),
        100,
        "it is whole, beside 30 in leases"
    );
    let mut admitted = 0;
    loop {
        let before = admitted;
        for instance in 0..INSTANCES {
            admitted += u64::from(scene.admits(instance, &terms, 1));
        }
        if admitted == before {
            break;
        }
    }
    assert_eq!(
        admitted, 130,
        "in one instant: 100, and 10 for each instance"
    );
}
