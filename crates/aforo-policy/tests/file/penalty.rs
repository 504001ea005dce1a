//! `penalty`: what it says and what it is refused with.

use aforo_core::{Algorithm, Quota, Span, Window};

use super::{finding, settings};

fn policy(fields: &str) -> String {
    format!("[policies.a]\nquota = \"5/15min\"\n{fields}\n")
}

#[test]
fn each_step_is_a_window_of_one_and_the_longest_forgets() {
    let settings = settings(&policy("penalty = [\"1min\", \"10min\", \"1h\"]"));
    let penalty = settings.policies["a"].penalty.as_ref().unwrap();
    let block = |seconds| {
        let window = Window::FirstHit(Span::from_seconds(seconds));
        Quota::fixed_window(1, window).unwrap()
    };
    let blocks: Vec<_> = penalty
        .blocks()
        .iter()
        .map(|terms| (terms.name().as_str(), *terms.quota()))
        .collect();
    assert_eq!(
        blocks,
        [
            ("a.block-1", block(60)),
            ("a.block-2", block(600)),
            ("a.block-3", block(3_600)),
        ]
    );
    let lately = penalty.blocked_lately();
    assert_eq!(lately.name().as_str(), "a.blocked");
    assert_eq!(lately.quota().algorithm(), Algorithm::TokenBucket);
    assert_eq!(lately.quota().capacity(), 3);
    let next = |remaining| penalty.next(remaining).unwrap().name().as_str().to_owned();
    let steps: Vec<_> = [3, 2, 1, 0].map(next).into();
    assert_eq!(steps, ["a.block-1", "a.block-2", "a.block-3", "a.block-3"]);
}

#[test]
fn senseless_penalties_are_refused_with_their_place() {
    for (fields, refusal) in [
        ("penalty = []", "3:11 a penalty of no steps"),
        (
            "penalty = [\"soon\"]",
            "3:12 `soon` is not a length of time",
        ),
        ("penalty = [\"0s\"]", "3:12 a block of no time"),
        (
            "penalty = [\"1min\", \"60s\"]",
            "3:20 `60s` is not longer than the step before",
        ),
        (
            "penalty = [\"1s\", \"2s\", \"3s\", \"4s\", \"5s\", \"6s\", \"7s\", \"8s\", \"9s\"]",
            "3:11 a penalty of 9 steps",
        ),
        (
            "denials = true\npenalty = [\"1min\"]",
            "4:11 `penalty` does not go with this `denials`",
        ),
        (
            "action = \"shadow\"\npenalty = [\"1min\"]",
            "4:11 `penalty` does not go with this `action`",
        ),
        (
            "precision = \"leased\"\npenalty = [\"1min\"]",
            "4:11 `penalty` does not go with this `precision`",
        ),
        (
            "penalty = [\"1min\"]\n[policies.\"a.block-1\"]\nquota = \"1/s\"",
            "3:11 the penalty counts as `a.block-1`, and another policy is named so",
        ),
    ] {
        assert_eq!(finding(&policy(fields)), refusal, "{fields}");
    }
    let long = "a".repeat(57);
    let text = format!("[policies.{long}]\nquota = \"1/s\"\npenalty = [\"1min\"]\n");
    assert_eq!(
        finding(&text),
        format!("3:11 the name `{long}` is too long for a policy with a penalty")
    );
    let edge = "[edge]\npolicies = [{ quota = \"9/s\", penalty = [\"1min\"] }]\n";
    assert_eq!(
        finding(edge),
        "2:13 `penalty in [edge]` is not available yet"
    );
}
