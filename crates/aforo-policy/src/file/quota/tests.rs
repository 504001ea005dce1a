//! Quota strings, right and wrong.

use aforo_core::{Algorithm, CalendarUnit, PolicyName, Span, Window};
use proptest::prelude::*;

use super::*;
use crate::Allowance;
use crate::file::raw::WindowWord;

fn read(text: &str) -> QuotaText {
    text.parse().unwrap()
}

fn wrong(text: &str) -> QuotaTextError {
    match text.parse::<QuotaText>() {
        Ok(quota) => panic!("{text} is {quota}"),
        Err(error) => error,
    }
}

fn allowance(text: &str, fields: &QuotaFields) -> Result<Allowance, Senseless> {
    read(text).allowance(&PolicyName::new("p").unwrap(), fields)
}

fn quota(text: &str) -> aforo_core::Quota {
    match allowance(text, &QuotaFields::default()) {
        Ok(Allowance::Metered(metered)) => *metered.terms.quota(),
        other => panic!("{text}: {other:?}"),
    }
}

fn senseless(text: &str, fields: &QuotaFields) -> (About, String) {
    match allowance(text, fields) {
        Err(senseless) => (senseless.about, senseless.message),
        Ok(allowance) => panic!("{text}: {allowance:?}"),
    }
}

#[test]
fn rl_32_a_typo_in_a_number_or_a_unit_is_refused_with_its_place() {
    let refused = |text: &str| {
        let error = wrong(text);
        (error.place, error.message, error.help.unwrap_or_default())
    };
    let none = String::new();
    assert_eq!(
        refused("10/horu"),
        (
            3..7,
            "`horu` is not a unit".into(),
            "did you mean `hour`?".into()
        )
    );
    assert_eq!(
        refused("6O/min"),
        (0..2, "`6O` is not an amount".into(), none.clone())
    );
    assert_eq!(refused(""), (0..0, "an empty quota".into(), none.clone()));
    assert_eq!(
        refused("-5/min"),
        (
            0..2,
            "`-5` is not an amount".into(),
            "0 blocks, unlimited does not limit".into()
        )
    );
    assert_eq!(
        refused("1e3/min"),
        (0..3, "`1e3` is not an amount".into(), none.clone())
    );
    assert_eq!(
        refused("10 per"),
        (0..6, "`10 per` has no window".into(), none.clone())
    );
    assert_eq!(refused("5/0s"), (2..3, "a window of `0s`".into(), none));
    assert_eq!(
        refused("1.5/s"),
        (
            0..3,
            "`1.5` is not an amount".into(),
            "amounts are whole: 3/2s instead of 1.5/s".into()
        )
    );
    let units = "second, minute, hour, day, week, month, their plurals, or ms, s, min, h, d";
    assert_eq!(wrong("10/horu").expected, units);
    // Accepted, and pinned: plurals mean the same.
    assert_eq!(quota("100/minute"), quota("100/minutes"));
}

#[test]
fn other_wrong_texts_are_refused_with_their_place() {
    for (text, place, message) in [
        ("60/m", 3..4, "`m` is not a unit"),
        ("60/Minute", 3..9, "`Minute` is not a unit"),
        ("60/", 3..3, "the window has no unit"),
        ("60/15", 5..5, "the window has no unit"),
        ("/minute", 0..0, "`` is not an amount"),
        ("60 / minute", 0..11, "`60 / minute` has no window"),
        ("+5/s", 0..2, "`+5` is not an amount"),
        ("1__0/s", 0..4, "`1__0` is not an amount"),
        ("_1/s", 0..2, "`_1` is not an amount"),
        (
            "99999999999999999999/s",
            0..20,
            "`99999999999999999999` is not an amount",
        ),
        ("NaN/s", 0..3, "`NaN` is not an amount"),
        ("60/minute burst", 10..15, "`burst` without a number"),
        ("60/minute burst 0", 16..17, "`0` is not a burst"),
        ("60/minute burst ten", 16..19, "`ten` is not a burst"),
        ("60/minute bucket", 10..16, "`bucket` is not an algorithm"),
        (
            "60/minute gcra burst 5",
            15..20,
            "`burst` comes after the end of the quota",
        ),
        ("60/minute\tburst 5", 3..15, "`minute\tburst` is not a unit"),
        ("６0/min", 0..4, "`６0` is not an amount"),
        ("60/15 minute", 5..5, "the window has no unit"),
    ] {
        let error = wrong(text);
        assert_eq!(
            (error.place, error.message.as_str()),
            (place, message),
            "{text}"
        );
    }
    assert_eq!(
        wrong("60/m").help.as_deref(),
        Some("min for minutes, month for months")
    );
    assert_eq!(
        wrong("60/minute brust 5").help.as_deref(),
        Some("did you mean `burst`?")
    );
    assert_eq!(
        wrong("60/minute fixed_window").help.as_deref(),
        Some("did you mean `fixed-window`?")
    );
}

#[test]
fn the_algorithm_follows_from_the_text() {
    assert_eq!(
        quota("60/minute burst 10").algorithm(),
        Algorithm::TokenBucket
    );
    assert_eq!(quota("60/minute").algorithm(), Algorithm::SlidingWindow);
    assert_eq!(quota("60/week").algorithm(), Algorithm::FixedWindow);
    assert_eq!(quota("60/month").algorithm(), Algorithm::FixedWindow);
    assert_eq!(quota("60/minute gcra").algorithm(), Algorithm::TokenBucket);
    assert_eq!(quota("60/minute gcra").capacity(), 60);
    assert_eq!(
        quota("60/minute sliding-log").algorithm(),
        Algorithm::SlidingLog
    );
    // A week has a fixed length where one is needed.
    let week = Window::Length(Span::from_seconds(604_800));
    assert_eq!(quota("60/week sliding-window").window(), week);
    assert_eq!(quota("60/week burst 5").window(), week);
}

#[test]
fn one_unit_of_a_calendar_is_a_window_of_the_calendar() {
    let window = |text| quota(text).window();
    assert_eq!(
        window("1/min fixed-window"),
        Window::Calendar(CalendarUnit::Minute)
    );
    assert_eq!(
        window("1/1h fixed-window"),
        Window::Calendar(CalendarUnit::Hour)
    );
    assert_eq!(
        window("1/d fixed-window"),
        Window::Calendar(CalendarUnit::Day)
    );
    assert_eq!(window("1/week"), Window::Calendar(CalendarUnit::Week));
    assert_eq!(window("1/month"), Window::Calendar(CalendarUnit::Month));
    let seconds = |seconds| Window::Length(Span::from_seconds(seconds));
    assert_eq!(window("1/second fixed-window"), seconds(1));
    assert_eq!(window("1/15min fixed-window"), seconds(900));
    assert_eq!(window("1/60s fixed-window"), seconds(60));
    assert_eq!(window("1/30d fixed-window"), seconds(2_592_000));
}

#[test]
fn a_first_hit_window_has_a_length() {
    let fields = QuotaFields {
        window: Some(WindowWord::FirstHit),
        ..QuotaFields::default()
    };
    let Ok(Allowance::Metered(metered)) = allowance("1/day fixed-window", &fields) else {
        panic!();
    };
    let day = Window::FirstHit(Span::from_seconds(86_400));
    assert_eq!(metered.terms.quota().window(), day);
    assert!(metered.calendar.is_none());
    assert_eq!(
        senseless("1/month", &fields),
        (
            About::Quota,
            "a month has no fixed length, which a first-hit window needs".to_owned()
        )
    );
    assert_eq!(
        senseless("1/minute", &fields),
        (About::Window, "a sliding-window has no `window`".to_owned())
    );
}

#[test]
fn several_weeks_or_months_are_refused() {
    for text in [
        "10/2weeks",
        "10/2month",
        "10/3months sliding-window",
        "10/2weeks burst 3",
    ] {
        let (about, message) = senseless(text, &QuotaFields::default());
        assert_eq!(about, About::Quota);
        assert!(
            message.ends_with("neither one of a calendar nor of a fixed length"),
            "{message}"
        );
    }
    let error = allowance("10/2weeks", &QuotaFields::default()).unwrap_err();
    assert_eq!(
        error.help.as_deref(),
        Some("write 10/14d for a fixed length")
    );
}

#[test]
fn parts_that_do_not_go_together_are_refused() {
    let none = QuotaFields::default();
    let about = |text: &str, fields: &QuotaFields| senseless(text, fields).0;
    for algorithm in [
        "fixed-window",
        "sliding-window",
        "sliding-log",
        "leaky-bucket",
    ] {
        let (about, message) = senseless(&format!("10/minute burst 5 {algorithm}"), &none);
        assert_eq!(about, About::Quota);
        assert_eq!(message, format!("a {algorithm} has no burst"));
    }
    assert_eq!(
        senseless("10/minute leaky-bucket", &none).1,
        "a leaky-bucket needs `max_delay`, how long a request may be held"
    );
    let delayed = QuotaFields {
        max_delay: Some(Span::from_seconds(5)),
        ..none.clone()
    };
    assert!(allowance("10/minute leaky-bucket", &delayed).is_ok());
    assert_eq!(about("10/minute", &delayed), About::MaxDelay);
    let burst = QuotaFields {
        burst: Some(5),
        ..none.clone()
    };
    assert_eq!(about("10/minute burst 5", &burst), About::Burst);
    assert_eq!(about("10/minute fixed-window", &burst), About::Burst);
    let algorithm = QuotaFields {
        algorithm: Some(Algorithm::FixedWindow),
        ..none.clone()
    };
    assert_eq!(about("10/minute gcra", &algorithm), About::Algorithm);
    let calendar = QuotaFields {
        window: Some(WindowWord::Calendar),
        ..none.clone()
    };
    assert_eq!(about("10/15min fixed-window", &calendar), About::Window);
    assert_eq!(about("10/month burst 5", &none), About::Quota);
    assert_eq!(about("0/minute burst 5", &none), About::Quota);
    assert_eq!(about("unlimited fixed-window", &none), About::Quota);
}

#[test]
fn what_cannot_be_counted_exactly_names_the_nearest_that_can() {
    let error = allowance("1099511627776/day", &QuotaFields::default()).unwrap_err();
    assert_eq!(
        error.message,
        "`1099511627776/day` cannot be counted exactly"
    );
    // 2^53 / 86,400 seconds, rounded down.
    assert_eq!(
        error.help.as_deref(),
        Some("the nearest that can is `104249991374/day`")
    );
    let out = |text| senseless(text, &QuotaFields::default()).1;
    assert_eq!(out("1/401d burst 1"), "a window of 401day is out of range");
    assert_eq!(
        out("10001/minute sliding-log"),
        "a sliding-log keeps every request, and 10001 are too many"
    );
}

#[test]
fn zero_blocks_and_unlimited_does_not_limit() {
    let none = QuotaFields::default();
    assert!(matches!(
        allowance("0/minute", &none),
        Ok(Allowance::Blocked)
    ));
    assert!(matches!(
        allowance("unlimited", &none),
        Ok(Allowance::Unlimited)
    ));
    assert!(matches!(
        allowance("unlimited/hour", &none),
        Ok(Allowance::Unlimited)
    ));
}

#[test]
fn the_suffix_of_a_name_is_the_window() {
    for (text, suffix) in [
        ("60/minute", "minute"),
        ("60/minutes", "minute"),
        ("60/1min", "minute"),
        ("20/15min", "15minute"),
        ("1/h", "hour"),
        ("1/100ms", "100ms"),
        ("1/2days", "2day"),
        ("unlimited", "unlimited"),
        ("unlimited/month", "month"),
    ] {
        assert_eq!(read(text).suffix(), suffix);
    }
}

#[test]
fn a_policy_is_made_of_a_name_and_a_quota() {
    let policy = Policy::parse("api", "60/minute burst 10").unwrap();
    assert_eq!(policy.partition_by, [Alternatives(vec![Part::Caller])]);
    assert_eq!(policy.store, "default");
    assert!(matches!(
        Policy::parse("Api", "60/minute"),
        Err(PolicyTextError::Name(_))
    ));
    assert!(matches!(
        Policy::parse("api", "60/mn"),
        Err(PolicyTextError::Quota(_))
    ));
    let senseless = Policy::parse("api", "60/month burst 1").unwrap_err();
    assert_eq!(
        senseless.to_string(),
        "a month has no fixed length, which a token-bucket needs; \
         write 30d, or make it a fixed-window of the calendar"
    );
}

proptest! {
    #[test]
    fn what_is_shown_reads_the_same(
        amount in prop_oneof![Just(Amount::Unlimited), any::<u64>().prop_map(Amount::Units)],
        count in prop::option::of(2u64..),
        unit in prop::sample::select(vec![
            QuotaUnit::Millisecond, QuotaUnit::Second, QuotaUnit::Minute, QuotaUnit::Hour,
            QuotaUnit::Day, QuotaUnit::Week, QuotaUnit::Month,
        ]),
        burst in prop::option::of(1u64..),
        algorithm in prop::option::of(prop::sample::select(vec![
            Algorithm::TokenBucket, Algorithm::LeakyBucket, Algorithm::FixedWindow,
            Algorithm::SlidingWindow, Algorithm::SlidingLog,
        ])),
    ) {
        let quota = QuotaText { amount, count, unit: Some(unit), burst, algorithm };
        prop_assert_eq!(quota.to_string().parse(), Ok(quota));
    }

    #[test]
    fn no_text_panics_and_errors_lie_within_it(text in "\\PC{0,40}") {
        if let Err(error) = text.parse::<QuotaText>() {
            prop_assert!(text.get(error.place.clone()).is_some(), "{error:?}");
        }
    }

    #[test]
    fn no_text_like_a_quota_panics(
        text in "(unlimited|[0-9_]{1,21}|-1)/[0-9_]{0,21}(ms|s|min|hours?|d|weeks?|months?|x)( burst [0-9]{1,20})?( [a-z-]{3,15})?",
        seconds in 0u64..100_000_000,
    ) {
        if let Ok(quota) = text.parse::<QuotaText>() {
            let name = PolicyName::new("p").unwrap();
            let fields = QuotaFields {
                max_delay: Some(Span::from_seconds(seconds)),
                ..QuotaFields::default()
            };
            let _ = quota.allowance(&name, &QuotaFields::default());
            let _ = quota.allowance(&name, &fields);
        }
    }
}
