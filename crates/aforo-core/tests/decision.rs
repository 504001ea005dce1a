//! The decision over outcomes, and the edges that charges carry.

use aforo_core::{
    Decision, Denial, Edges, Mode, Outcome, PolicyName, Quota, Span, Terms, Timestamp, Verdict,
    decide,
};

fn outcome(verdict: Verdict, wait: u64, delay: u64) -> Outcome {
    Outcome {
        verdict,
        capacity: 10,
        remaining: 0,
        wait: Span::from_seconds(wait),
        next_unit: Span::ZERO,
        whole_again: Span::ZERO,
        delay: Span::from_seconds(delay),
        edge: None,
        at: Timestamp::EPOCH,
    }
}

fn decided(outcomes: &[(Mode, Outcome)]) -> Decision {
    decide(outcomes.iter().map(|(mode, outcome)| (*mode, outcome)))
}

#[test]
fn the_longest_wait_denies_and_the_longest_delay_delays() {
    use Mode::Enforce;
    let allowed = (Enforce, outcome(Verdict::Allowed, 0, 0));
    let held = (Enforce, outcome(Verdict::Allowed, 0, 3));
    let longer_held = (Enforce, outcome(Verdict::Allowed, 0, 5));
    let denied = (Enforce, outcome(Verdict::Denied, 7, 0));
    let longer_denied = (Enforce, outcome(Verdict::Denied, 9, 0));
    let impossible = (Enforce, outcome(Verdict::Impossible, 0, 0));
    let later = |wait| Decision::Deny(Denial::Later(Span::from_seconds(wait)));
    let delay = |delay| Decision::Delay(Span::from_seconds(delay));
    assert_eq!(decided(&[]), Decision::Allow);
    assert_eq!(decided(&[allowed, allowed]), Decision::Allow);
    assert_eq!(decided(&[allowed, held]), delay(3));
    assert_eq!(decided(&[longer_held, held]), delay(5));
    assert_eq!(decided(&[held, denied]), later(7));
    assert_eq!(decided(&[longer_denied, allowed, denied]), later(9));
    assert_eq!(
        decided(&[denied, impossible]),
        Decision::Deny(Denial::Impossible)
    );
    assert_eq!(
        decided(&[impossible, longer_denied]),
        Decision::Deny(Denial::Impossible)
    );
}

#[test]
fn a_shadow_charge_neither_denies_nor_delays() {
    let shadows = [
        (Mode::Shadow, outcome(Verdict::Denied, 7, 0)),
        (Mode::Shadow, outcome(Verdict::Impossible, 0, 0)),
        (Mode::Shadow, outcome(Verdict::Allowed, 0, 5)),
    ];
    assert_eq!(decided(&shadows), Decision::Allow);
}

#[test]
fn edges_rise_and_hold_the_window_of_an_instant() {
    let edges = |edges: [u64; 4]| Edges::new(edges.map(Timestamp::from_seconds));
    assert_eq!(edges([0, 10, 10, 20]), None);
    assert_eq!(edges([0, 10, 5, 20]), None);
    let edges = edges([10, 20, 30, 40]).unwrap();
    let window = |second| {
        let (start, end) = edges.window_at(Timestamp::from_seconds(second));
        (start.as_seconds_ceil(), end.as_seconds_ceil())
    };
    let windows = [
        (5, (10, 20)),
        (19, (10, 20)),
        (20, (20, 30)),
        (30, (30, 40)),
        (99, (30, 40)),
    ];
    for (second, expected) in windows {
        assert_eq!(window(second), expected, "{second}");
    }
}

#[test]
fn policy_names_and_tags() {
    for name in ["a", "free-minute", "v1.orders_post", &"x".repeat(64)] {
        assert_eq!(PolicyName::new(name).unwrap().as_str(), name);
    }
    for name in ["", "Free", "a b", "ä", &"x".repeat(65)] {
        assert!(
            PolicyName::new(name)
                .unwrap_err()
                .to_string()
                .contains("1 to 64")
        );
    }
    let quota = Quota::sliding_log(1, Span::from_seconds(1)).unwrap();
    let tag = |name| Terms::new(PolicyName::new(name).unwrap(), quota).tag();
    // FNV-1a's published vectors.
    assert_eq!(tag("a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(tag("foobar"), 0x8594_4171_f739_67e8);
}

#[test]
fn instants_and_lengths_round_up_and_saturate() {
    assert_eq!(Span::from_micros(1).as_seconds_ceil(), 1);
    assert_eq!(Span::from_seconds(2).as_seconds_ceil(), 2);
    assert_eq!(Timestamp::from_micros(1_000_001).as_seconds_ceil(), 2);
    let last = Timestamp::from_micros(u64::MAX);
    assert_eq!(last.plus(Span::from_seconds(1)), last);
    assert_eq!(
        Timestamp::EPOCH.minus(Span::from_seconds(1)),
        Timestamp::EPOCH
    );
    assert_eq!(Timestamp::EPOCH.since(last), Span::ZERO);
    let odd = core::time::Duration::from_nanos(1_001);
    assert_eq!(Span::from(odd), Span::from_micros(2));
}
