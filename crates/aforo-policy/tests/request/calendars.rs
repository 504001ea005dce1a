//! Calendar edges travel with the charge and follow the time.

use aforo_core::{Charge, Span, Timestamp};
use http::Method;

use super::{anonymous, request, set};
use aforo_policy::{Caller, PolicySet};

const FILE: &str = r#"
[plans.anonymous]
policies = ["60/minute", "1000/month", { name = "day", quota = "50/day fixed-window", window = "calendar" }]
"#;

/// 2025-01-31T12:00:00Z.
const JANUARY: Timestamp = Timestamp::from_seconds(1_738_324_800);
const DAY: Span = Span::from_seconds(86_400);

/// Start and end of each policy's calendar window.
fn windows(set: &PolicySet, caller: &Caller, now: Timestamp) -> Vec<Option<(u64, u64)>> {
    let seconds = |charge: &Charge<'_>| {
        let [_, start, end, _] = charge.edges?.as_array();
        Some((start.as_seconds_ceil(), end.as_seconds_ceil()))
    };
    let read = |charges: &[Charge<'_>]| charges.iter().map(seconds).collect();
    request(Method::GET, "/")
        .charges(set, caller, now, read)
        .unwrap()
}

#[test]
fn a_charge_carries_the_edges_around_now() {
    let set = set(FILE);
    let caller = anonymous(&set);
    // January 2025, its last day, February, the first of February.
    let january = [
        None,
        Some((1_735_689_600, 1_738_368_000)),
        Some((1_738_281_600, 1_738_368_000)),
    ];
    let february = [
        None,
        Some((1_738_368_000, 1_740_787_200)),
        Some((1_738_368_000, 1_738_454_400)),
    ];
    let edge = Timestamp::from_seconds(1_738_368_000);
    for (now, expected) in [
        (JANUARY, january),
        (edge.minus(Span::from_micros(1)), january),
        (edge, february),
        (edge.plus(Span::from_seconds(1)), february),
        // A clock that was set back.
        (JANUARY, january),
    ] {
        assert_eq!(windows(&set, &caller, now), expected, "{now:?}");
    }
}

#[test]
fn many_threads_read_the_same_edges() {
    let set = set(FILE);
    let caller = anonymous(&set);
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (set, caller) = (&set, &caller);
            scope.spawn(move || {
                for step in 0..500_u64 {
                    let days = (step * 7 + thread * 3) % 40;
                    let now = (0..days).fold(JANUARY, |now, _| now.plus(DAY));
                    let now_seconds = now.as_seconds_ceil();
                    for window in windows(set, caller, now).into_iter().flatten() {
                        assert!(window.0 <= now_seconds && now_seconds < window.1);
                    }
                }
            });
        }
    });
}

#[test]
fn a_plan_of_another_file_keeps_its_calendar() {
    let (old, new) = (set(FILE), set(FILE));
    let caller = anonymous(&old);
    assert_eq!(
        windows(&new, &caller, JANUARY),
        windows(&old, &caller, JANUARY)
    );
}
