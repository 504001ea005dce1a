//! What is written and what is not: states, sums of logs, and what is given back.

use aforo_core::{Log, Quota, Span, State, Stored, Taken, Timestamp, Verdict, Window};
use proptest::prelude::*;

const START: u64 = 1_700_000_040;

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(START).plus(Span::from_seconds(seconds))
}

fn minute() -> Span {
    Span::from_seconds(60)
}

fn charged(quota: &Quota, cost: u64) -> (Stored, Taken) {
    let assessment = quota.assess(None, at(0), None, cost);
    let state = assessment.state(true).unwrap_or_default();
    let shape = quota.shape();
    (Stored { shape, state }, assessment.taken())
}

#[test]
fn the_numbers_of_each_state() {
    let micros = START * 1_000_000;
    let state = |quota: Quota| charged(&quota, 3).0.state;
    let expected = |first, second| State {
        last: micros,
        first,
        second,
    };
    // 60 a minute reduce to 1 in 1,000,000 µs.
    let token = Quota::token_bucket(60, minute(), None).unwrap();
    assert_eq!(state(token), expected(3_000_000, 0));
    let fixed = Quota::fixed_window(60, Window::Length(minute())).unwrap();
    assert_eq!(state(fixed), expected(3, micros + 60_000_000));
    let sliding = Quota::sliding_window(60, minute()).unwrap();
    assert_eq!(state(sliding), expected(3, 0));
}

#[test]
fn nothing_is_written_for_a_denial_nor_for_nothing() {
    let quota = Quota::token_bucket(60, minute(), Some(3)).unwrap();
    let (stored, _) = charged(&quota, 3);
    let denied = quota.assess(Some(&stored), at(0), None, 1);
    assert_eq!(
        (denied.verdict(), denied.state(true), denied.state(false)),
        (Verdict::Denied, None, None)
    );
    let nothing = quota.assess(Some(&stored), at(0), None, 0);
    assert_eq!(
        (nothing.verdict(), nothing.state(true)),
        (Verdict::Allowed, None)
    );
    // Fitting is not enough: what the batch did not take is not written.
    let fits = quota.assess(Some(&stored), at(2), None, 1);
    assert_eq!((fits.fits(), fits.state(false)), (true, None));
    // But a clock that was set back is kept even then.
    let set_back = quota.assess(Some(&stored), Timestamp::from_seconds(START - 61), None, 1);
    let moved = State {
        last: (START - 61) * 1_000_000,
        ..stored.state
    };
    assert_eq!(
        (set_back.verdict(), set_back.state(false)),
        (Verdict::Denied, Some(moved))
    );
}

#[test]
fn a_window_that_is_over_gives_nothing_back() {
    let quotas = [
        Quota::fixed_window(5, Window::Length(minute())).unwrap(),
        Quota::fixed_window(5, Window::FirstHit(minute())).unwrap(),
        Quota::sliding_window(5, minute()).unwrap(),
    ];
    for quota in quotas {
        let (stored, taken) = charged(&quota, 3);
        let first = |now| {
            quota
                .give_back(&stored, &taken, 1, now)
                .map(|state| state.first)
        };
        assert_eq!(first(at(59)), Some(2), "{quota:?}");
        assert_eq!(first(at(60)), None, "{quota:?}");
        assert_eq!(quota.give_back(&stored, &taken, 0, at(0)), None);
    }
}

#[test]
fn a_bucket_that_has_drained_gives_nothing_back() {
    let quota = Quota::token_bucket(60, minute(), None).unwrap();
    let (stored, taken) = charged(&quota, 3);
    assert_eq!(quota.give_back(&stored, &taken, 3, at(3)), None);
    let left = quota.give_back(&stored, &taken, 3, at(2)).unwrap();
    // One unit is left to give; the time of the last charge stays.
    assert_eq!((left.first, left.last), (2_000_000, stored.state.last));
}

#[test]
fn a_logs_sum_leaves_the_window_at_once() {
    let quota = Quota::sliding_log(5, minute()).unwrap();
    let mut log = Log::default();
    quota.assess_log(&log, at(0), 2).apply(&mut log, true);
    quota.assess_log(&log, at(30), 1).apply(&mut log, true);
    let sum = log.stored().unwrap();
    assert_eq!((sum.state.first, sum.shape), (3, quota.shape()));
    let assessment = quota.assess(Some(&sum), at(40), None, 3);
    let outcome = assessment.outcome(false);
    assert_eq!((outcome.verdict, outcome.remaining), (Verdict::Denied, 2));
    assert_eq!(
        (outcome.wait, outcome.whole_again),
        (Span::from_seconds(50), Span::from_seconds(50))
    );
    assert!(quota.assess(Some(&sum), at(90), None, 5).fits());
    assert!(!quota.is_neutral(&sum.state, at(89)));
    assert!(quota.is_neutral(&sum.state, at(90)));
    let more = quota.assess(Some(&sum), at(50), None, 2);
    assert_eq!(more.outcome(true).whole_again, minute());
}

#[test]
fn a_log_that_is_restored_goes_on_as_before() {
    let quota = Quota::sliding_log(3, minute()).unwrap();
    let mut log = Log::default();
    for second in [0, 10] {
        quota.assess_log(&log, at(second), 1).apply(&mut log, true);
    }
    let mut restored = Log::restore(log.shape().unwrap(), log.entries().copied());
    let taken =
        [&mut log, &mut restored].map(|log| quota.assess_log(log, at(20), 1).apply(log, true));
    assert_eq!(taken[0], taken[1]);
    assert!(restored.entries().eq(log.entries()));
    assert!(!restored.is_neutral(at(79)) && restored.is_neutral(at(80)));
}

proptest! {
    #[test]
    fn a_logs_sum_is_never_laxer_than_the_log(
        amount in 1_u64..20, steps in proptest::collection::vec((0_u64..40_000_000, 0_u64..6), 1..40),
    ) {
        let quota = Quota::sliding_log(amount, minute()).unwrap();
        let (mut stored, mut log, mut now) = (None, Log::default(), at(0));
        for (micros, cost) in steps {
            now = now.plus(Span::from_micros(micros));
            let assessment = quota.assess(stored.as_ref(), now, None, cost);
            if !assessment.fits() {
                continue;
            }
            let exact = quota.assess_log(&log, now, cost);
            prop_assert_eq!(exact.verdict(), Verdict::Allowed);
            exact.apply(&mut log, true);
            if let Some(state) = assessment.state(true) {
                stored = Some(Stored { shape: quota.shape(), state });
            }
        }
    }
}
