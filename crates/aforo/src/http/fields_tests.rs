use aforo_policy::Draft;
use proptest::prelude::*;
use sfv::{BareItem, List, ListEntry, Parser};

use super::super::test_outcomes::*;
use super::*;
use crate::http::ShownPolicy;

fn page<'a>(policies: &[ShownPolicy<'a>], plan: Option<&'a str>) -> Shown<'a> {
    Shown {
        policies: policies.iter().copied().collect(),
        plan,
        upgrade_url: None,
    }
}

fn lines(headers: &HeaderMap) -> Vec<String> {
    let mut lines: Vec<String> = headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    lines.sort();
    lines
}

fn passed(shown: &Shown<'_>, responses: &Responses) -> Vec<String> {
    let mut headers = HeaderMap::new();
    write(&mut headers, shown, responses);
    lines(&headers)
}

fn refused(shown: &Shown<'_>, jitter: Span) -> Vec<String> {
    let mut headers = HeaderMap::new();
    write_on_denial(&mut headers, shown, &Responses::default(), jitter);
    lines(&headers)
}

#[test]
fn every_disclosed_policy_is_told_in_the_syntax_of_draft_11() {
    let minute = bucket(1_000, seconds(60), Some(200));
    let hour = sliding(50_000, seconds(3_600));
    let month = aforo_core::Quota::fixed_window(
        1_000_000,
        aforo_core::Window::Calendar(aforo_core::CalendarUnit::Month),
    )
    .unwrap();
    let edge = AT.plus(seconds(86_400));
    let policies = [
        shown(
            "pro-minute",
            &minute,
            allowed(&minute, 42, millis(60), millis(9_480)),
        ),
        shown(
            "pro-hour",
            &hour,
            allowed(&hour, 49_999, seconds(2), seconds(3_600)),
        ),
        shown(
            "contract",
            &month,
            until(edge, allowed(&month, 7, seconds(86_400), seconds(86_400))),
        ),
    ];
    assert_eq!(
        passed(&page(&policies, Some("pro")), &Responses::default()),
        [
            "ratelimit-policy: \"pro-minute\";q=1000;w=60;aforo-burst=200, \
             \"pro-hour\";q=50000;w=3600, \"contract\";q=1000000",
            "ratelimit: \"pro-minute\";r=42;t=3, \"pro-hour\";r=49999;t=3600, \
             \"contract\";r=7;t=86400",
            "x-ratelimit-limit: 1000000",
            "x-ratelimit-policy: pro",
            "x-ratelimit-remaining: 7",
            "x-ratelimit-reset: 1086400",
        ]
    );
}

#[test]
fn the_next_draft_renames_and_adds_the_cost() {
    let minute = bucket(1_000, seconds(60), Some(200));
    let mut policy = shown(
        "pro-minute",
        &minute,
        allowed(&minute, 42, millis(60), millis(9_480)),
    );
    policy.taken = 5;
    let responses = Responses {
        ratelimit_draft: Draft::Next,
        fields: vec![FieldFamily::RateLimit],
        ..Responses::default()
    };
    assert_eq!(
        passed(&page(&[policy], None), &responses),
        [
            "ratelimit-policy: \"pro-minute\";q=1000;w=60;aforo-burst=200",
            "ratelimit: \"pro-minute\";a=42;w=3;c=5",
        ]
    );
}

#[test]
fn a_caller_without_a_plan_is_told_the_policys_name() {
    let quota = fixed(20, seconds(900));
    let outcome = until(
        AT.plus(seconds(30)),
        allowed(&quota, 19, seconds(30), seconds(30)),
    );
    let responses = Responses {
        fields: vec![FieldFamily::XRateLimit],
        ..Responses::default()
    };
    assert_eq!(
        passed(
            &page(&[shown("login-address", &quota, outcome)], None),
            &responses
        ),
        [
            "x-ratelimit-limit: 20",
            "x-ratelimit-policy: login-address;w=900",
            "x-ratelimit-remaining: 19",
            "x-ratelimit-reset: 1000030",
        ]
    );
}

#[test]
fn rlx_36_the_disclosed_policy_with_the_fewest_remaining_is_told() {
    let (a, b) = (fixed(3, seconds(60)), fixed(5, seconds(60)));
    let edge = AT.plus(seconds(60));
    let outcome =
        |quota, remaining| until(edge, allowed(quota, remaining, seconds(60), seconds(60)));
    let first_hit = [
        shown("a", &a, outcome(&a, 2)),
        hidden(shown("b", &b, outcome(&b, 4))),
    ];
    let told = passed(&page(&first_hit, None), &Responses::default());
    assert_eq!(
        told,
        [
            "ratelimit-policy: \"a\";q=3;w=60",
            "ratelimit: \"a\";r=2;t=60",
            "x-ratelimit-limit: 3",
            "x-ratelimit-policy: a;w=60",
            "x-ratelimit-remaining: 2",
            "x-ratelimit-reset: 1000060",
        ]
    );
    let only_b_nearly_drained = [
        shown("a", &a, outcome(&a, 3)),
        hidden(shown("b", &b, outcome(&b, 1))),
    ];
    let told = passed(&page(&only_b_nearly_drained, None), &Responses::default());
    assert!(
        told.contains(&"x-ratelimit-remaining: 3".to_owned()),
        "{told:?}"
    );
    assert!(
        !told
            .iter()
            .any(|line| line.contains('5') || line.contains("\"b\"")),
        "{told:?}"
    );
}

#[test]
fn rlx_36_of_equals_the_latest_reset_is_told() {
    let (minute, hour) = (fixed(10, seconds(60)), fixed(10, seconds(3_600)));
    let policies = [
        shown(
            "minute",
            &minute,
            until(
                AT.plus(seconds(9)),
                allowed(&minute, 4, seconds(9), seconds(9)),
            ),
        ),
        shown(
            "hour",
            &hour,
            until(
                AT.plus(seconds(99)),
                allowed(&hour, 4, seconds(99), seconds(99)),
            ),
        ),
    ];
    for policies in [policies, [policies[1], policies[0]]] {
        let told = passed(&page(&policies, None), &Responses::default());
        assert!(
            told.contains(&"x-ratelimit-reset: 1000099".to_owned()),
            "{told:?}"
        );
        assert!(
            told.contains(&"x-ratelimit-policy: hour;w=3600".to_owned()),
            "{told:?}"
        );
    }
}

#[test]
fn rlx_36_a_denial_tells_the_violated_policy_with_the_longest_wait() {
    let (minute, hour) = (
        bucket(60, seconds(60), Some(10)),
        bucket(90, seconds(3_600), Some(20)),
    );
    let policies = [
        shown("day", &minute, allowed(&minute, 0, seconds(1), seconds(10))),
        violated(
            "minute",
            &minute,
            denied(&minute, 0, millis(900), millis(900)),
        ),
        violated("hour", &hour, denied(&hour, 3, millis(39_100), millis(100))),
    ];
    assert_eq!(
        refused(&page(&policies, Some("pro")), seconds(5)),
        [
            "ratelimit-policy: \"day\";q=60;w=60;aforo-burst=10, \
             \"minute\";q=60;w=60;aforo-burst=10, \"hour\";q=90;w=3600;aforo-burst=20",
            "ratelimit: \"day\";r=0, \"minute\";r=0;t=1, \"hour\";r=3;t=1",
            "x-ratelimit-limit: 20",
            "x-ratelimit-policy: pro;w=3600",
            "x-ratelimit-remaining: 3",
            "x-ratelimit-reset: 1000045",
        ]
    );
}

#[test]
fn rlx_36_a_denial_by_a_hidden_policy_tells_no_numbers_of_it() {
    let (a, b) = (fixed(3, seconds(60)), fixed(5, seconds(60)));
    let edge = AT.plus(seconds(60));
    let policies = [
        shown(
            "a",
            &a,
            until(edge, allowed(&a, 2, seconds(60), seconds(60))),
        ),
        hidden(violated(
            "b",
            &b,
            until(edge, denied(&b, 0, seconds(60), seconds(60))),
        )),
    ];
    assert_eq!(
        refused(&page(&policies, None), Span::ZERO),
        ["ratelimit-policy: \"a\";q=3;w=60", "ratelimit: \"a\";r=2"]
    );
    assert_eq!(refused(&page(&policies[1..], None), Span::ZERO), [""; 0]);
}

#[test]
fn quota_zero_is_told_without_a_reset() {
    assert_eq!(
        refused(&page(&[blocked("closed")], Some("free")), Span::ZERO),
        [
            "ratelimit-policy: \"closed\";q=0",
            "ratelimit: \"closed\";r=0",
            "x-ratelimit-limit: 0",
            "x-ratelimit-policy: free",
            "x-ratelimit-remaining: 0",
        ]
    );
}

#[test]
fn nothing_is_told_when_there_is_nothing_to_tell() {
    assert_eq!(passed(&Shown::default(), &Responses::default()), [""; 0]);
    let quota = fixed(3, seconds(60));
    let mut failed = shown("a", &quota, allowed(&quota, 2, seconds(1), seconds(1)));
    failed.outcome = None;
    assert_eq!(
        passed(&page(&[failed], Some("pro")), &Responses::default()),
        [""; 0]
    );
    let silent = Responses {
        fields: Vec::new(),
        ..Responses::default()
    };
    let policy = shown("a", &quota, allowed(&quota, 2, seconds(1), seconds(1)));
    assert_eq!(passed(&page(&[policy], None), &silent), [""; 0]);
}

fn parsed(headers: &HeaderMap, name: &str) -> List {
    let lines: Vec<_> = headers.get_all(name).iter().collect();
    assert_eq!(lines.len(), 1);
    Parser::new(lines[0]).parse().unwrap()
}

fn integer(entry: &ListEntry, parameter: &str) -> Option<u64> {
    let ListEntry::Item(item) = entry else {
        panic!("an item, not a list");
    };
    let value = item.params.get(parameter)?.as_integer().unwrap();
    u64::try_from(i64::from(value)).ok()
}

fn name(entry: &ListEntry) -> &str {
    match entry {
        ListEntry::Item(item) => match &item.bare_item {
            BareItem::String(name) => name.as_str(),
            other => panic!("a string, not {other:?}"),
        },
        ListEntry::InnerList(_) => panic!("an item, not a list"),
    }
}

proptest! {
    #[test]
    fn an_independent_parser_reads_what_is_written(
        policies in proptest::collection::vec(
            ("[a-z0-9._-]{1,64}", 1_u64..10_000_000, 1_u64..100_000, 0_u64..10_000_000, any::<bool>()),
            1..6,
        ),
        denied in any::<bool>(),
    ) {
        let quotas: Vec<_> = policies
            .iter()
            .map(|(_, amount, window, ..)| fixed(*amount, seconds(*window)))
            .collect();
        let policies: Vec<ShownPolicy<'_>> = policies
            .iter()
            .zip(&quotas)
            .map(|((name, _, window, remaining, is_violated), quota)| {
                let outcome = until(
                    AT.plus(seconds(*window)),
                    allowed(quota, *remaining, seconds(*window), seconds(*window)),
                );
                ShownPolicy { violated: *is_violated && denied, ..shown(name, quota, outcome) }
            })
            .collect();
        let mut headers = HeaderMap::new();
        let page = page(&policies, None);
        if denied {
            write_on_denial(&mut headers, &page, &Responses::default(), Span::ZERO);
        } else {
            write(&mut headers, &page, &Responses::default());
        }
        let (written, limits) = (parsed(&headers, "ratelimit-policy"), parsed(&headers, "ratelimit"));
        prop_assert_eq!(written.len(), policies.len());
        prop_assert_eq!(limits.len(), policies.len());
        for ((policy, written), limit) in policies.iter().zip(&written).zip(&limits) {
            let quota = policy.quota.unwrap();
            let window = quota.nominal_window().unwrap().as_micros() / 1_000_000;
            prop_assert_eq!(name(written), policy.name);
            prop_assert_eq!(name(limit), policy.name);
            prop_assert_eq!(integer(written, "q"), Some(quota.amount()));
            prop_assert_eq!(integer(written, "w"), Some(window));
            prop_assert_eq!(integer(limit, "r"), Some(policy.outcome.unwrap().remaining));
            let told = (!denied || policy.violated).then_some(window);
            prop_assert_eq!(integer(limit, "t"), told);
        }
    }
}
