//! Windows that were too long, too short, or shared.

use aforo_core::{CalendarUnit, Edges, Quota, Timestamp, Window};

use crate::caller::{Caller, instant, seconds};

#[test]
fn rl_20_twice_the_amount_across_an_edge_is_the_fixed_windows_bound_only() {
    let minute = seconds(60);
    let fixed = Quota::fixed_window(100, Window::Length(minute)).unwrap();
    let cases = [
        (fixed, 100),
        (Quota::sliding_log(100, minute).unwrap(), 0),
        (Quota::sliding_window(100, minute).unwrap(), 1),
        (Quota::token_bucket(100, minute, None).unwrap(), 3),
    ];
    for (quota, second_batch) in cases {
        let mut caller = Caller::of(quota);
        assert_eq!(caller.admitted(59_000, 100), 100, "{quota:?}");
        assert_eq!(caller.admitted(61_000, 100), second_batch, "{quota:?}");
    }
    let mut caller = Caller::of(fixed);
    caller.ask(59_000, 100);
    assert_eq!(
        caller.hit(59_000).wait,
        seconds(1),
        "to the edge, not a window"
    );
}

#[test]
fn rlx_18_a_month_is_the_calendars() {
    let month = Window::Calendar(CalendarUnit::Month);
    let mut caller = Caller::of(Quota::fixed_window(2, month).unwrap());
    // 2024-12-01, 2025-01-01, 2025-02-01, 2025-03-01, all at 00:00 UTC.
    let edges = [1_733_011_200, 1_735_689_600, 1_738_368_000, 1_740_787_200];
    caller.edges = Edges::new(edges.map(Timestamp::from_seconds));
    let (noon_31_january, february, eleventh) = (1_738_324_800, 1_738_368_000, 1_739_232_000);
    let mut hit = |second| caller.ask_at(Timestamp::from_seconds(second), 1);
    assert!(hit(noon_31_january).is_allowed());
    assert!(hit(noon_31_january).is_allowed());
    let denied = hit(noon_31_january);
    assert!(!denied.is_allowed());
    assert_eq!(denied.wait, seconds(12 * 3_600));
    assert_eq!(denied.edge, Some(Timestamp::from_seconds(february)));
    assert!(hit(february).is_allowed());
    let eleventh = hit(eleventh);
    assert!(eleventh.is_allowed());
    assert_eq!(eleventh.remaining, 0);
    assert_eq!(eleventh.edge, Some(Timestamp::from_seconds(1_740_787_200)));
}

#[test]
fn rlx_18_every_calendar_window_ends_at_the_given_edge() {
    let units = [
        CalendarUnit::Minute,
        CalendarUnit::Hour,
        CalendarUnit::Day,
        CalendarUnit::Week,
        CalendarUnit::Month,
    ];
    for unit in units {
        let quota = Quota::fixed_window(1, Window::Calendar(unit)).unwrap();
        // A short day between two long ones, as when clocks are put forward.
        let mut caller = Caller::of(quota);
        caller.edges = Edges::new([0, 90_000, 172_800, 259_200].map(Timestamp::from_seconds));
        let at = |second| Timestamp::from_seconds(second);
        assert_eq!(caller.ask_at(at(90_000), 1).edge, Some(at(172_800)));
        assert_eq!(caller.ask_at(at(172_799), 1).wait, seconds(1));
        assert!(caller.ask_at(at(172_800), 1).is_allowed());
        assert_eq!(caller.ask_at(at(172_800), 1).wait, seconds(86_400));
    }
}

#[test]
fn rlx_15_each_caller_has_a_window_of_its_own() {
    let quota = Quota::fixed_window(2, Window::FirstHit(seconds(60))).unwrap();
    let (mut a, mut b) = (Caller::of(quota), Caller::of(quota));
    assert_eq!(a.admitted(0, 2), 2);
    assert_eq!(b.admitted(50_000, 2), 2);
    assert!(a.hit(60_000).is_allowed());
    let denied = b.hit(61_000);
    assert!(!denied.is_allowed());
    assert_eq!(denied.wait, seconds(49));
    assert!(!b.hit(109_999).is_allowed());
    assert!(b.hit(110_000).is_allowed());
}

#[test]
fn rl_60_one_reading_of_the_clock_decides_window_count_and_end() {
    let quota = Quota::fixed_window(1, Window::Length(seconds(60))).unwrap();
    for arrival in [59_990, 59_999, 60_000, 60_040] {
        let mut caller = Caller::of(quota);
        caller.hit(1_000);
        let outcome = caller.hit(arrival);
        let is_new = arrival >= 60_000;
        assert_eq!(outcome.is_allowed(), is_new, "{arrival}");
        let end = instant(if is_new { 120_000 } else { 60_000 });
        assert_eq!(outcome.edge, Some(end), "{arrival}");
        assert_eq!(outcome.remaining, 0);
        assert_eq!(instant(arrival).plus(outcome.whole_again), end);
        // The state that is kept ends in the same window: nothing of the old one is left.
        let stored = caller.counter.state().unwrap();
        assert_eq!(stored.state.second, end.as_micros());
        assert!(stored.state.second > instant(arrival).as_micros());
    }
}
