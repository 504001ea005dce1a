//! `precision = "leased"`: what it is refused with.

use aforo_policy::Precision;

use super::{finding, settings};

#[track_caller]
fn policy(fields: &str) -> String {
    finding(&format!("[policies.a]\nprecision = \"leased\"\n{fields}\n"))
}

#[test]
fn buckets_and_windows_can_be_leased_and_nothing_is_by_default() {
    for quota in [
        "600/minute burst 100",
        "600/minute",
        "1000/hour fixed-window",
        "100000/month",
    ] {
        let text = format!("[policies.a]\nquota = \"{quota}\"\n");
        assert_eq!(settings(&text).policies["a"].precision, Precision::Exact);
        let text = format!("{text}precision = \"leased\"\n");
        assert_eq!(settings(&text).policies["a"].precision, Precision::Leased);
    }
}

#[test]
fn what_cannot_be_taken_in_advance_is_refused() {
    for (fields, refusal) in [
        (
            "quota = \"10/s leaky-bucket\"\nmax_delay = \"5s\"",
            "a leaky-bucket cannot be leased",
        ),
        (
            "quota = \"10/s sliding-log\"",
            "a sliding-log cannot be leased",
        ),
        (
            "quota = { pro = \"10/s sliding-log\", default = \"10/s\" }\n[plans.anonymous]\npolicies = []\n[plans.pro]\npolicies = []",
            "a sliding-log cannot be leased",
        ),
        (
            "quota = \"10/s\"\ncount = \"failures\"",
            "a policy that counts by result cannot be leased",
        ),
        (
            "quota = \"10/s\"\ncount = [404]",
            "a policy that counts by result cannot be leased",
        ),
        (
            "quota = \"10/s\"\ndenials = true",
            "a policy that counts denials cannot be leased",
        ),
        (
            "quota = \"10/s\"\naction = \"shadow\"",
            "a policy that only watches cannot be leased",
        ),
    ] {
        assert_eq!(policy(fields), format!("2:13 {refusal}"));
    }
}
