use aforo_core::Quota;
use aforo_policy::{Draft, FieldFamily, Responses};
use sfv::{List, ListEntry};

use super::super::test_outcomes::*;
use super::*;
use crate::http::{Shown, fields};

fn ours() -> Quota {
    fixed(10, seconds(60))
}

/// The response after our policy, `10/minute` with 9 left, is joined to it.
fn joined(upstream: &[(&'static str, &str)], way: UpstreamFields) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in upstream {
        headers.append(*name, value.parse().unwrap());
    }
    let quota = ours();
    let outcome = until(
        AT.plus(seconds(60)),
        allowed(&quota, 9, seconds(60), seconds(60)),
    );
    let mut page = Shown::default();
    page.policies.push(shown("ours", &quota, outcome));
    let responses = Responses {
        upstream_fields: way,
        fields: vec![FieldFamily::XRateLimit, FieldFamily::RateLimit],
        ratelimit_draft: Draft::Eleven,
        ..Responses::default()
    };
    fields::write(&mut headers, &page, &responses);
    headers
}

/// The only value of a field.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let values: Vec<_> = headers.get_all(name).iter().collect();
    assert_eq!(values.len(), 1, "{name}: {values:?}");
    values[0].to_str().unwrap()
}

const UPSTREAM: [(&str, &str); 3] = [
    ("x-ratelimit-limit", "1000"),
    ("x-ratelimit-remaining", "999"),
    ("retry-after", "7"),
];

#[test]
fn rl_51_the_set_with_the_fewest_remaining_is_kept_and_every_field_has_one_value() {
    let headers = joined(&UPSTREAM, UpstreamFields::Merge);
    assert_eq!(only(&headers, "x-ratelimit-limit"), "10");
    assert_eq!(only(&headers, "x-ratelimit-remaining"), "9");
    assert_eq!(only(&headers, "x-ratelimit-reset"), "1000060");
    assert_eq!(only(&headers, "retry-after"), "7");

    let scarcer = [
        ("x-ratelimit-limit", "100"),
        ("x-ratelimit-limit", "100"),
        ("x-ratelimit-remaining", "8"),
        ("x-ratelimit-reset", "55"),
        ("x-ratelimit-reset", "55"),
    ];
    let headers = joined(&scarcer, UpstreamFields::Merge);
    assert_eq!(only(&headers, "x-ratelimit-limit"), "100");
    assert_eq!(only(&headers, "x-ratelimit-remaining"), "8");
    assert_eq!(only(&headers, "x-ratelimit-reset"), "55");
    assert!(!headers.contains_key("x-ratelimit-policy"), "no mixture");
    assert_eq!(only(&headers, "ratelimit"), "\"ours\";r=9;t=60");
}

#[test]
fn rl_51_a_remaining_that_is_no_number_loses() {
    for value in ["many", "", "-1", "1, 2"] {
        let upstream = [("x-ratelimit-remaining", value), ("x-ratelimit-limit", "1")];
        let headers = joined(&upstream, UpstreamFields::Merge);
        assert_eq!(only(&headers, "x-ratelimit-remaining"), "9", "{value}");
        assert_eq!(only(&headers, "x-ratelimit-limit"), "10", "{value}");
    }
    let headers = joined(&[("x-ratelimit-limit", "1")], UpstreamFields::Merge);
    assert_eq!(only(&headers, "x-ratelimit-limit"), "10");
}

#[test]
fn rl_51_an_upstreams_429_keeps_its_own_retry_after() {
    for way in [
        UpstreamFields::Merge,
        UpstreamFields::Replace,
        UpstreamFields::Keep,
    ] {
        let headers = joined(&[("retry-after", "7")], way);
        assert_eq!(only(&headers, "retry-after"), "7");
    }
}

#[test]
fn rl_51_lists_are_joined_into_one() {
    let upstream = [
        ("ratelimit", "\"theirs\";r=5;t=1"),
        ("ratelimit", "\"more\";r=6"),
        ("ratelimit-policy", "\"theirs\";q=50"),
    ];
    let headers = joined(&upstream, UpstreamFields::Merge);
    let limits = only(&headers, "ratelimit");
    assert_eq!(
        limits,
        "\"theirs\";r=5;t=1, \"more\";r=6, \"ours\";r=9;t=60"
    );
    assert_eq!(
        only(&headers, "ratelimit-policy"),
        "\"theirs\";q=50, \"ours\";q=10;w=60"
    );
    let list: List = Parser::new(limits).parse().unwrap();
    assert_eq!(
        list.iter()
            .filter(|entry| matches!(entry, ListEntry::Item(_)))
            .count(),
        3
    );
}

#[test]
fn rl_51_what_is_no_list_would_spoil_ours() {
    for theirs in ["limit=10, remaining=5, reset=3", "\"open", "", "a,"] {
        let headers = joined(&[("ratelimit", theirs)], UpstreamFields::Merge);
        assert_eq!(only(&headers, "ratelimit"), "\"ours\";r=9;t=60", "{theirs}");
    }
}

#[test]
fn rl_51_replace_leaves_ours_alone() {
    let upstream = [
        ("x-ratelimit-limit", "1"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-remaining", "0"),
        ("ratelimit", "\"theirs\";r=5"),
    ];
    let headers = joined(&upstream, UpstreamFields::Replace);
    assert_eq!(only(&headers, "x-ratelimit-limit"), "10");
    assert_eq!(only(&headers, "x-ratelimit-remaining"), "9");
    assert_eq!(only(&headers, "ratelimit"), "\"ours\";r=9;t=60");
    let mut headers = HeaderMap::new();
    headers.insert("x-ratelimit-policy", HeaderValue::from_static("theirs"));
    let responses = Responses {
        upstream_fields: UpstreamFields::Replace,
        ..Responses::default()
    };
    fields::write(&mut headers, &Shown::default(), &responses);
    assert!(headers.is_empty());
}

#[test]
fn rl_51_keep_leaves_each_family_that_the_upstream_sent() {
    let headers = joined(&UPSTREAM, UpstreamFields::Keep);
    assert_eq!(only(&headers, "x-ratelimit-limit"), "1000");
    assert_eq!(only(&headers, "x-ratelimit-remaining"), "999");
    assert!(!headers.contains_key("x-ratelimit-reset"), "no mixture");
    assert_eq!(only(&headers, "ratelimit"), "\"ours\";r=9;t=60");
    let headers = joined(&[("ratelimit", "\"theirs\";r=5")], UpstreamFields::Keep);
    assert_eq!(only(&headers, "ratelimit"), "\"theirs\";r=5");
    assert!(!headers.contains_key("ratelimit-policy"));
    assert_eq!(only(&headers, "x-ratelimit-limit"), "10");
}

#[test]
fn rl_51_without_ours_the_upstreams_stay_in_merge() {
    let mut headers = HeaderMap::new();
    headers.insert("x-ratelimit-remaining", HeaderValue::from_static("3"));
    headers.insert("ratelimit", HeaderValue::from_static("\"theirs\";r=5"));
    fields::write(&mut headers, &Shown::default(), &Responses::default());
    assert_eq!(only(&headers, "x-ratelimit-remaining"), "3");
    assert_eq!(only(&headers, "ratelimit"), "\"theirs\";r=5");
}
