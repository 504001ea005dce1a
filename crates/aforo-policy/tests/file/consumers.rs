//! Consumers, their keys and their overrides.

use aforo_core::Timestamp;
use aforo_policy::Allowance;

use super::{finding, findings, help, lines, settings};

const PLANS: &str = "[plans.anonymous]\npolicies = [\"1/s\"]\n[plans.pro]\npolicies = [\"1000/minute burst 200\", \"9/hour\"]\n";
const HASH: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

/// A file with one consumer of plan pro; its lines begin at 8.
fn consumer(fields: &str) -> String {
    format!("{PLANS}[[consumers]]\nid = \"acme\"\nplan = \"pro\"\n{fields}\n")
}

#[test]
fn ids_and_keys_are_unique() {
    let text = format!(
        "{}[[consumers]]\nid = \"acme\"\nplan = \"pro\"\n",
        consumer("")
    );
    assert_eq!(finding(&text), "10:6 another consumer has the id `acme`");
    assert_eq!(findings(&text)[0].related.as_ref().unwrap().line, 6);
    let keys = format!("api_key_sha256 = [\"{HASH}\"]");
    let upper = format!("api_key_sha256 = [\"{}\"]", HASH.to_uppercase());
    let text = format!(
        "{}[[consumers]]\nid = \"b\"\nplan = \"pro\"\n{upper}\n",
        consumer(&keys)
    );
    assert_eq!(finding(&text), "12:19 this API key is here twice");
    for wrong in ["", "9f86", &"g".repeat(64), &"é".repeat(32), "demo-key"] {
        let text = consumer(&format!("api_key_sha256 = [\"{wrong}\"]"));
        assert_eq!(finding(&text), "8:19 this is not a SHA-256", "{wrong}");
    }
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let text = consumer(&format!("api_key_sha256 = [\"{empty}\"]"));
    assert_eq!(finding(&text), "8:19 this is the SHA-256 of nothing");
    let text = format!("{PLANS}[[consumers]]\nid = \"\"\nplan = \"pro\"\n");
    assert_eq!(finding(&text), "6:6 this is not a consumer's id");
}

#[test]
fn plans_and_teams_exist() {
    let text = format!("{PLANS}[[consumers]]\nid = \"a\"\nplan = \"por\"\n");
    assert_eq!(finding(&text), "7:8 there is no plan `por`");
    assert_eq!(help(&text), "did you mean `pro`?");
    assert_eq!(
        finding(&consumer("team = \"blue\"")),
        "8:8 there is no team `blue`"
    );
    let text = format!("{PLANS}[[consumers]]\nid = \"a\"\n");
    assert_eq!(finding(&text), "5:1 a consumer without a plan");
    settings(&format!("{text}[identity]\ndefault_plan = \"pro\"\n"));
    assert_eq!(
        lines(&format!("{text}[identity]\ndefault_plan = \"por\"\n")),
        ["8:16 there is no plan `por`"]
    );
}

#[track_caller]
fn override_of(fields: &str) -> String {
    finding(&consumer(&format!("overrides = [{{ {fields} }}]")))
}

#[test]
fn overrides_are_of_policies_that_can_apply() {
    assert_eq!(
        override_of("policy = \"pro-minut\", quota = \"1/s\""),
        "8:25 there is no policy `pro-minut`"
    );
    assert_eq!(
        override_of("policy = \"anonymous-second\", quota = \"1/s\""),
        "8:25 `anonymous-second` never applies to this consumer"
    );
    assert_eq!(
        override_of("policy = \"pro-minute\", quota = \"1/secnd\""),
        "8:50 a wrong quota: `secnd` is not a unit"
    );
    assert_eq!(
        override_of("quota = \"1/s\""),
        "8:14 the field `policy` is missing"
    );
    let twice = "{ policy = \"pro-minute\", quota = \"1/s\" }";
    assert_eq!(
        finding(&consumer(&format!("overrides = [{twice}, {twice}]"))),
        "8:67 `pro-minute` is overridden twice"
    );
}

#[test]
fn an_override_ends() {
    let until = |value: &str| {
        let fields = format!(
            "overrides = [{{ policy = \"pro-minute\", quota = \"1/s\", until = {value} }}]"
        );
        settings(&consumer(&fields)).consumers["acme"].overrides[0].until
    };
    // 2027-01-31 holds to its end: 2027-02-01T00:00:00Z.
    assert_eq!(
        until("2027-01-31"),
        Some(Timestamp::from_seconds(1_801_440_000))
    );
    assert_eq!(
        until("2027-02-01T01:00:00+01:00"),
        Some(Timestamp::from_seconds(1_801_440_000))
    );
    for wrong in ["2027-01-31T12:00:00", "12:00:00", "1969-01-01"] {
        let text = format!("policy = \"pro-minute\", quota = \"1/s\", until = {wrong}");
        assert_eq!(override_of(&text), format!("8:62 `{wrong}` is not an end"));
    }
    assert_eq!(
        override_of("policy = \"pro-minute\", quota = \"1/s\", until = \"2027-01-31\""),
        "8:62 found the string \"2027-01-31\""
    );
}

#[test]
fn an_override_replaces_the_quota_and_nothing_else() {
    let text = "[plans.anonymous]\npolicies = [\"@a\", \"@b\"]\n\
                [policies.a]\nquota = \"5/minute\"\nalgorithm = \"fixed-window\"\nwindow = \"first-hit\"\n\
                [policies.b]\nquota = \"5/minute\"\nburst = 2\n\
                [[consumers]]\nid = \"acme\"\nplan = \"anonymous\"\n\
                overrides = [{ policy = \"a\", quota = \"50/minute\" }, { policy = \"b\", quota = \"50/minute burst 20\" }]\n";
    let settings = settings(text);
    let overridden = |index: usize| match &settings.consumers["acme"].overrides[index].allowance {
        Allowance::Metered(metered) => *metered.terms.quota(),
        other => panic!("{other:?}"),
    };
    let minute = aforo_core::Span::from_seconds(60);
    assert_eq!(overridden(0).window(), aforo_core::Window::FirstHit(minute));
    assert_eq!(overridden(0).amount(), 50);
    assert_eq!(overridden(1).capacity(), 20);
}

#[test]
fn an_override_of_a_shared_counter_is_refused() {
    let text = "[plans.anonymous]\npolicies = [{ name = \"all\", quota = \"9/s\", partition_by = [\"everyone\"] }]\n\
                [teams.blue]\npolicies = [\"5/s\"]\n\
                [[consumers]]\nid = \"acme\"\nplan = \"anonymous\"\nteam = \"blue\"\n\
                overrides = [{ policy = \"all\", quota = \"1/s\" }, { policy = \"team-blue-second\", quota = \"1/s\" }]\n";
    assert_eq!(
        lines(text),
        [
            "9:25 `all` is shared with others",
            "9:60 `team-blue-second` is shared with others",
        ]
    );
}

#[test]
fn keys_are_read_somewhere() {
    let keys = format!("api_key_sha256 = [\"{HASH}\"]\n[identity]\napi_key = []");
    assert_eq!(finding(&consumer(&keys)), "8:19 no API keys are read");
}
