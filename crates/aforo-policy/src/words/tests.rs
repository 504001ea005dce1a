//! Literal words of literal quotas.

use std::sync::Arc;

use aforo_core::{CalendarUnit, PolicyName, Quota, Span, Terms, Window};

use super::*;

fn words(quota: &str) -> String {
    policy(&Policy::parse("p", quota).unwrap())
}

#[test]
fn a_penalty_follows_the_quota() {
    let mut login = Policy::parse("login", "5/15min fixed-window").unwrap();
    let steps = [60, 600, 3_600].map(Span::from_seconds);
    login.penalty = Some(Arc::new(Penalty::new(&login.name, &steps).unwrap()));
    assert_eq!(
        policy(&login),
        format!(
            "{}; a denial blocks for 1 minute, the next for 10 minutes, the next for 1 hour",
            words("5/15min fixed-window")
        )
    );
}

#[test]
fn token_buckets() {
    for (quota, expected) in [
        (
            "60/minute burst 10",
            "10 at once, then 1 a second; at most 70 in any minute",
        ),
        (
            "60/minute burst 10 gcra",
            "10 at once, then 1 a second; at most 70 in any minute",
        ),
        (
            "24/minute burst 1",
            "1 at once, then 1 every 2.5 seconds; at most 25 in any minute",
        ),
        (
            "1000/minute burst 200",
            "200 at once, then 1 every 60 milliseconds; at most 1,200 in any minute",
        ),
        (
            "7/minute burst 2",
            "2 at once, then 7 a minute; at most 9 in any minute",
        ),
        (
            "1/minute burst 1",
            "1 at once, then 1 a minute; at most 2 in any minute",
        ),
        (
            "1/h burst 3",
            "3 at once, then 1 an hour; at most 4 in any hour",
        ),
        (
            "10/15min burst 5",
            "5 at once, then 1 every 1.5 minutes; at most 15 in any 15 minutes",
        ),
        (
            "3/2s burst 3",
            "3 at once, then 3 every 2 seconds; at most 6 in any 2 seconds",
        ),
        (
            "2_000_000/second token-bucket",
            "2,000,000 at once, then 2,000,000 a second; at most 4,000,000 in any second",
        ),
        (
            "300/day burst 20",
            "20 at once, then 1 every 4.8 minutes; at most 320 in any day",
        ),
        (
            "14/week burst 1",
            "1 at once, then 1 every 12 hours; at most 15 in any 7 days",
        ),
        (
            "5/100ms burst 5",
            "5 at once, then 50 a second; at most 10 in any 100 milliseconds",
        ),
    ] {
        assert_eq!(words(quota), expected, "{quota}");
    }
}

#[test]
fn windows() {
    for (quota, expected) in [
        (
            "60/minute",
            "60 a minute, the minute before weighing in; always fewer than 120 in any minute",
        ),
        (
            "20/15min",
            "20 every 15 minutes, the 15 minutes before weighing in; always fewer than 40 in any 15 minutes",
        ),
        (
            "100/hour",
            "100 an hour, the hour before weighing in; always fewer than 200 in any hour",
        ),
        ("100/day sliding-log", "at most 100 in any day"),
        ("10000/10s sliding-log", "at most 10,000 in any 10 seconds"),
        (
            "50000/hour fixed-window",
            "50,000 in each hour, UTC; up to 100,000 around the turn of two",
        ),
        (
            "5/90s fixed-window",
            "5 in each window of 90 seconds; up to 10 around the turn of two",
        ),
        (
            "5/second fixed-window",
            "5 in each second; up to 10 around the turn of two",
        ),
        (
            "1000000/month",
            "1,000,000 in each month, UTC; up to 2,000,000 around the turn of two",
        ),
        (
            "1/week",
            "1 in each week from Monday, UTC; up to 2 around the turn of two",
        ),
        ("unlimited", "no limit"),
        ("0/minute", "nothing: every request is denied"),
    ] {
        assert_eq!(words(quota), expected, "{quota}");
    }
}

fn allowance_of(quota: Quota, calendar: Option<Calendar>, max_delay: Option<Span>) -> Allowance {
    Allowance::Metered(Metered {
        terms: Arc::new(Terms::new(PolicyName::new("p").unwrap(), quota)),
        calendar,
        max_delay,
    })
}

#[test]
fn calendars_name_their_zone_and_anchor_day() {
    let quota = Quota::fixed_window(10, Window::Calendar(CalendarUnit::Month)).unwrap();
    let calendar = Calendar::new(CalendarUnit::Month, "Europe/Madrid", 15);
    assert_eq!(
        allowance(&allowance_of(quota, calendar, None)),
        "10 in each month from day 15, Europe/Madrid; up to 20 around the turn of two"
    );
    let calendar = Calendar::new(CalendarUnit::Month, "UTC", 31);
    assert_eq!(
        allowance(&allowance_of(quota, calendar, None)),
        "10 in each month from day 31 (or the month's last), UTC; up to 20 around the turn of two"
    );
    let quota = Quota::fixed_window(10, Window::Calendar(CalendarUnit::Day)).unwrap();
    let calendar = Calendar::new(CalendarUnit::Day, "Asia/Kolkata", 1);
    assert_eq!(
        allowance(&allowance_of(quota, calendar, None)),
        "10 in each day, Asia/Kolkata; up to 20 around the turn of two"
    );
}

#[test]
fn first_hits_and_leaky_buckets() {
    let quota = Quota::fixed_window(2, Window::FirstHit(Span::from_seconds(60))).unwrap();
    assert_eq!(
        allowance(&allowance_of(quota, None, None)),
        "2 in the minute from the first request; up to 4 around the turn of two"
    );
    let delay = Span::from_seconds(5);
    let quota = Quota::leaky_bucket(60, Span::from_seconds(60), delay).unwrap();
    assert_eq!(
        allowance(&allowance_of(quota, None, Some(delay))),
        "1 a second, evenly; a request waits for its turn up to 5 seconds"
    );
}

#[test]
fn quotas_per_plan_name_each_plan() {
    let mut writes = Policy::parse("writes", "10/minute burst 1").unwrap();
    let others = writes.allowance.take();
    writes
        .by_plan
        .insert("pro".to_owned(), Allowance::Unlimited);
    assert_eq!(
        policy(&writes),
        "pro: no limit | others: not limited by this policy"
    );
    writes.allowance = others;
    assert_eq!(
        policy(&writes),
        "pro: no limit | others: 1 at once, then 1 every 6 seconds; at most 11 in any minute"
    );
}

#[test]
fn leases_say_what_they_may_add() {
    for (quota, expected) in [
        (
            "60000/minute burst 1000",
            "1,000 at once, then 1,000 a second; at most 61,000 in any minute; \
             up to 100 more per instance in any minute while instances share it",
        ),
        (
            "150/minute burst 100",
            "100 at once, then 1 every 400 milliseconds; at most 250 in any minute; \
             up to 3 more in any minute while instances share it",
        ),
        (
            "6000/minute",
            "6,000 a minute, the minute before weighing in; always fewer than 12,000 in any \
             minute; up to 600 more per instance in any minute while instances share it",
        ),
        (
            "5000/hour fixed-window",
            "5,000 in each hour, UTC; up to 10,000 around the turn of two; \
             each instance may hold 500 of them in advance for a second",
        ),
        (
            "60/minute burst 9",
            "9 at once, then 1 a second; at most 69 in any minute; too few to be leased",
        ),
        ("unlimited", "no limit"),
    ] {
        let mut leased = Policy::parse("p", quota).unwrap();
        leased.precision = Precision::Leased;
        assert_eq!(policy(&leased), expected, "{quota}");
    }
}
