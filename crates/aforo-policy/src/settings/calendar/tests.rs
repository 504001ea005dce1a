//! Calendar edges: literal days of real zones, and what holds at any time.
#![allow(clippy::arithmetic_side_effects)]

use aforo_core::{CalendarUnit, Timestamp};
use jiff::Timestamp as Instant;
use proptest::prelude::*;

use super::Calendar;

fn at(text: &str) -> Timestamp {
    let instant: Instant = text.parse().unwrap();
    Timestamp::from_micros(u64::try_from(instant.as_microsecond()).unwrap())
}

/// The four edges as text.
fn edges(unit: CalendarUnit, zone: &str, anchor: u8, now: &str) -> [String; 4] {
    let calendar = Calendar::new(unit, zone, anchor).unwrap();
    let edges = calendar.edges(at(now)).unwrap().as_array();
    edges.map(|edge| {
        let micros = i64::try_from(edge.as_micros()).unwrap();
        Instant::from_microsecond(micros).unwrap().to_string()
    })
}

#[test]
fn rlx_18_a_month_is_a_month_of_the_calendar() {
    let month = |now| edges(CalendarUnit::Month, "UTC", 1, now);
    let january = [
        "2024-12-01T00:00:00Z",
        "2025-01-01T00:00:00Z",
        "2025-02-01T00:00:00Z",
        "2025-03-01T00:00:00Z",
    ];
    assert_eq!(month("2025-01-31T12:00:00Z"), january);
    let february = [
        "2025-01-01T00:00:00Z",
        "2025-02-01T00:00:00Z",
        "2025-03-01T00:00:00Z",
        "2025-04-01T00:00:00Z",
    ];
    assert_eq!(month("2025-02-01T00:00:00Z"), february);
    assert_eq!(month("2025-02-11T00:00:00Z"), february);
}

#[test]
fn an_anchor_day_is_clamped_to_the_months_end() {
    let month = |now| edges(CalendarUnit::Month, "UTC", 31, now);
    let february = [
        "2025-01-31T00:00:00Z",
        "2025-02-28T00:00:00Z",
        "2025-03-31T00:00:00Z",
        "2025-04-30T00:00:00Z",
    ];
    assert_eq!(month("2025-02-28T00:00:00Z"), february);
    assert_eq!(month("2025-03-30T23:59:59Z"), february);
    assert_eq!(month("2024-02-29T08:00:00Z")[1], "2024-02-29T00:00:00Z");
    assert_eq!(month("2025-02-27T23:59:59Z")[1], "2025-01-31T00:00:00Z");
}

#[test]
fn an_anchor_day_is_in_its_time_zone() {
    assert_eq!(
        edges(
            CalendarUnit::Month,
            "Europe/Madrid",
            15,
            "2025-04-01T00:00:00Z"
        ),
        [
            "2025-02-14T23:00:00Z",
            "2025-03-14T23:00:00Z",
            "2025-04-14T22:00:00Z",
            "2025-05-14T22:00:00Z",
        ]
    );
}

#[test]
fn days_of_a_clock_change_have_23_and_25_hours() {
    let day = |now| edges(CalendarUnit::Day, "Europe/Madrid", 1, now);
    assert_eq!(
        day("2025-03-30T12:00:00Z"),
        [
            "2025-03-28T23:00:00Z",
            "2025-03-29T23:00:00Z",
            "2025-03-30T22:00:00Z",
            "2025-03-31T22:00:00Z",
        ]
    );
    assert_eq!(
        day("2025-10-26T12:00:00Z"),
        [
            "2025-10-24T22:00:00Z",
            "2025-10-25T22:00:00Z",
            "2025-10-26T23:00:00Z",
            "2025-10-27T23:00:00Z",
        ]
    );
}

#[test]
fn an_hour_that_comes_twice_is_two_hours() {
    let hour = |now| edges(CalendarUnit::Hour, "Europe/Madrid", 1, now);
    let around = [
        "2025-10-25T23:00:00Z",
        "2025-10-26T00:00:00Z",
        "2025-10-26T01:00:00Z",
        "2025-10-26T02:00:00Z",
    ];
    assert_eq!(hour("2025-10-26T00:30:00Z"), around);
    assert_eq!(hour("2025-10-26T01:30:00Z")[1], "2025-10-26T01:00:00Z");
}

#[test]
fn a_zone_with_half_an_hour_has_its_own_hours_and_days() {
    assert_eq!(
        edges(
            CalendarUnit::Hour,
            "Asia/Kolkata",
            1,
            "2025-06-01T10:00:00Z"
        ),
        [
            "2025-06-01T08:30:00Z",
            "2025-06-01T09:30:00Z",
            "2025-06-01T10:30:00Z",
            "2025-06-01T11:30:00Z",
        ]
    );
    assert_eq!(
        edges(CalendarUnit::Day, "Asia/Kolkata", 1, "2025-06-01T10:00:00Z")[1],
        "2025-05-31T18:30:00Z"
    );
}

#[test]
fn a_clock_change_of_half_an_hour_is_an_edge() {
    // Lord Howe Island: at 2025-04-05T15:00:00Z the clock goes from 02:00 back to 01:30.
    assert_eq!(
        edges(
            CalendarUnit::Hour,
            "Australia/Lord_Howe",
            1,
            "2025-04-05T15:10:00Z"
        ),
        [
            "2025-04-05T14:00:00Z",
            "2025-04-05T15:00:00Z",
            "2025-04-05T15:30:00Z",
            "2025-04-05T16:30:00Z",
        ]
    );
}

#[test]
fn weeks_begin_on_monday() {
    assert_eq!(
        edges(CalendarUnit::Week, "UTC", 1, "2025-01-01T00:00:00Z"),
        [
            "2024-12-23T00:00:00Z",
            "2024-12-30T00:00:00Z",
            "2025-01-06T00:00:00Z",
            "2025-01-13T00:00:00Z",
        ]
    );
    assert_eq!(
        edges(CalendarUnit::Week, "UTC", 1, "2025-01-05T23:59:59.999999Z")[1],
        "2024-12-30T00:00:00Z"
    );
}

#[test]
fn a_day_without_midnight_begins_after_the_gap() {
    // Beirut, 2021-03-28: the clock goes from 00:00 to 01:00.
    assert_eq!(
        edges(CalendarUnit::Day, "Asia/Beirut", 1, "2021-03-28T10:00:00Z"),
        [
            "2021-03-26T22:00:00Z",
            "2021-03-27T22:00:00Z",
            "2021-03-28T21:00:00Z",
            "2021-03-29T21:00:00Z",
        ]
    );
}

#[test]
fn a_midnight_that_comes_twice_begins_the_day_once() {
    // St. John's, 2010-11-07: at 00:01 the clock goes back to 23:01 of the day before.
    let day = |now| edges(CalendarUnit::Day, "America/St_Johns", 1, now);
    let seventh = [
        "2010-11-06T02:30:00Z",
        "2010-11-07T02:30:00Z",
        "2010-11-08T03:30:00Z",
        "2010-11-09T03:30:00Z",
    ];
    assert_eq!(day("2010-11-07T03:00:00Z"), seventh);
    assert_eq!(day("2010-11-07T12:00:00Z"), seventh);
}

#[test]
fn a_day_that_a_zone_skipped_is_no_window() {
    // Samoa went from 2011-12-29 to 2011-12-31.
    assert_eq!(
        edges(CalendarUnit::Day, "Pacific/Apia", 1, "2011-12-30T09:00:00Z"),
        [
            "2011-12-28T10:00:00Z",
            "2011-12-29T10:00:00Z",
            "2011-12-30T10:00:00Z",
            "2011-12-31T10:00:00Z",
        ]
    );
}

#[test]
fn windows_before_the_epoch_begin_with_it() {
    let minute = Calendar::new(CalendarUnit::Minute, "UTC", 1).unwrap();
    let seconds = |edges: aforo_core::Edges| edges.as_array().map(Timestamp::as_seconds_ceil);
    let first = minute.edges(Timestamp::EPOCH).unwrap();
    assert_eq!(seconds(first), [0, 60, 120, 180]);
    let day = Calendar::new(CalendarUnit::Day, "Europe/Madrid", 1).unwrap();
    let first = day.edges(Timestamp::from_seconds(10)).unwrap();
    assert_eq!(seconds(first), [0, 82_800, 169_200, 255_600]);
}

#[test]
fn times_beyond_the_calendar_have_no_edges() {
    for unit in UNITS {
        let calendar = Calendar::new(unit, "Europe/Madrid", 31).unwrap();
        assert!(calendar.edges(Timestamp::from_micros(u64::MAX)).is_none());
        assert!(calendar.edges(at("9999-12-30T22:00:00Z")).is_none());
    }
    assert!(Calendar::new(CalendarUnit::Day, "Europe/Atlantis", 1).is_none());
}

const UNITS: [CalendarUnit; 5] = [
    CalendarUnit::Minute,
    CalendarUnit::Hour,
    CalendarUnit::Day,
    CalendarUnit::Week,
    CalendarUnit::Month,
];

const ZONES: [&str; 12] = [
    "UTC",
    "Europe/Madrid",
    "Europe/Dublin",
    "America/New_York",
    "America/St_Johns",
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Asia/Beirut",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Casablanca",
];

proptest! {
    #[test]
    fn utc_edges_are_multiples(micros in 86_400_000_000u64 * 2..4_000_000_000_000_000) {
        for (unit, length) in [
            (CalendarUnit::Minute, 60_000_000),
            (CalendarUnit::Hour, 3_600_000_000),
            (CalendarUnit::Day, 86_400_000_000),
        ] {
            let calendar = Calendar::new(unit, "UTC", 1).unwrap();
            let edges = calendar.edges(Timestamp::from_micros(micros)).unwrap();
            let start = micros - micros % length;
            let expected = [start - length, start, start + length, start + 2 * length];
            prop_assert_eq!(edges.as_array().map(Timestamp::as_micros), expected);
        }
    }

    #[test]
    fn every_instant_of_a_window_sees_the_same_window(
        unit in prop::sample::select(&UNITS[..]),
        zone in prop::sample::select(&ZONES[..]),
        anchor in 1u8..=31,
        // 1970-03 to 2096, and often around changes of the clock.
        seconds in prop_oneof![
            6_000_000u64..4_000_000_000,
            (6_000_000u64..4_000_000_000).prop_map(|at| at / 86_400 * 86_400),
        ],
        share in 0.0f64..1.0,
    ) {
        let calendar = Calendar::new(unit, zone, anchor).unwrap();
        let now = Timestamp::from_seconds(seconds);
        let edges = calendar.edges(now).unwrap();
        let [previous, start, end, next] = edges.as_array();
        prop_assert!(previous < start && start <= now && now < end && end < next);
        // A window that begins with a change of the clock may be short, but never empty.
        let length = end.since(start).as_micros();
        let longest = match unit {
            CalendarUnit::Minute => 60,
            CalendarUnit::Hour => 3_600,
            CalendarUnit::Day => 26 * 3_600,
            CalendarUnit::Week => 7 * 86_400 + 7_200,
            CalendarUnit::Month => 32 * 86_400,
        };
        prop_assert!(length <= longest * 1_000_000, "{length}");
        let inside = (length as f64 * share) as u64;
        let inside = Timestamp::from_micros(start.as_micros() + inside.min(length - 1));
        prop_assert_eq!(calendar.edges(inside).unwrap(), edges);
        // The windows around it join.
        let after = calendar.edges(end).unwrap().as_array();
        prop_assert_eq!((after[0], after[1], after[2]), (start, end, next));
        let before = calendar.edges(Timestamp::from_micros(start.as_micros() - 1)).unwrap();
        let before = before.as_array();
        prop_assert_eq!((before[1], before[2], before[3]), (previous, start, end));
    }

    #[test]
    fn no_time_panics(
        unit in prop::sample::select(&UNITS[..]),
        zone in prop::sample::select(&ZONES[..]),
        anchor in 0u8..=255,
        micros in any::<u64>(),
        small in 0u64..400_000_000_000_000_000,
    ) {
        let calendar = Calendar::new(unit, zone, anchor).unwrap();
        let _ = calendar.edges(Timestamp::from_micros(micros));
        let _ = calendar.edges(Timestamp::from_micros(small));
    }
}
