//! Names of policies: made up, given, clashing, referred to.

use super::{finding, findings, help, lines, settings};

fn names(text: &str) -> Vec<String> {
    let settings = settings(text);
    let plans = settings.plans.values().flat_map(|plan| &plan.policies);
    let teams = settings.teams.values().flat_map(|team| &team.policies);
    let groups = settings.groups.iter().flat_map(|group| &group.policies);
    let routes = settings.routes.iter().flat_map(|route| &route.policies);
    plans
        .chain(teams)
        .chain(&settings.edge)
        .chain(groups)
        .chain(routes)
        .map(|policy| policy.name.to_string())
        .collect()
}

#[test]
fn an_unnamed_policy_is_named_by_its_place_and_window() {
    assert_eq!(
        names(
            r#"
            [plans.anonymous]
            policies = ["20/15min", "60/minutes", "5/s", "100/2days", "1/100ms", "unlimited"]
            [teams.blue]
            policies = ["60/minute"]
            [edge]
            policies = ["60/minute"]
            [[groups]]
            match = "POST|PUT /v1/{*path}"
            policies = ["60/minute"]
            [[routes]]
            match = ["POST /orders", "POST /carts"]
            policies = ["60/minute"]
            [[routes]]
            match = "GET /Orders/{id}/lines"
            policies = ["60/minute"]
            [[routes]]
            match = "/"
            policies = ["60/minute"]
            [[routes]]
            match = "/a%20b/c~d"
            policies = ["60/minute"]
            "#
        ),
        [
            "anonymous-15minute",
            "anonymous-minute",
            "anonymous-second",
            "anonymous-2day",
            "anonymous-100ms",
            "anonymous-unlimited",
            "team-blue-minute",
            "edge-minute",
            "group-post-put-v1-path-minute",
            "post-orders-minute",
            "get-orders-id-lines-minute",
            "root-minute",
            "a-20b-c-d-minute",
        ]
    );
}

#[test]
fn a_second_one_of_the_same_name_gets_a_number() {
    assert_eq!(
        names("[plans.anonymous]\npolicies = [\"60/minute\", \"10/minute burst 5\", \"9/1min\"]\n"),
        [
            "anonymous-minute",
            "anonymous-minute-2",
            "anonymous-minute-3"
        ]
    );
}

#[test]
fn inline_tables_have_names_or_get_them() {
    assert_eq!(
        names(
            r#"
            [plans.anonymous]
            policies = [
                { name = "burst", quota = "60/minute" },
                { quota = "60/minute" },
                { quota = { pro = "5/hour", default = "1/day" } },
                { quota = { pro = "5/hour" } },
            ]
            [plans.pro]
            policies = ["1/s"]
            "#
        ),
        [
            "burst",
            "anonymous-minute",
            "anonymous-day",
            "anonymous-hour",
            "pro-second"
        ]
    );
}

#[test]
fn names_are_unique_in_the_whole_file_whatever_the_case() {
    let text = r#"
[policies.writes]
quota = "1/s"
[plans.anonymous]
policies = [{ name = "writes", quota = "2/s" }]
"#;
    assert_eq!(finding(text), "5:22 another policy is named `writes`");
    assert_eq!(findings(text)[0].related.as_ref().unwrap().line, 2);
    let text = "[policies.writes]\nquota = \"1/s\"\n[policies.Writes]\nquota = \"1/s\"\n";
    assert_eq!(
        lines(text),
        [
            "3:11 `Writes` is not a policy's name",
            "3:11 another policy is named `Writes`"
        ]
    );
}

#[test]
fn a_made_up_name_never_takes_a_given_one() {
    let text = "[policies.anonymous-minute]\nquota = \"1/s\"\n\
                [plans.anonymous]\npolicies = [\"60/minute\"]\n";
    assert_eq!(
        finding(text),
        "4:13 this policy would be named `anonymous-minute`, as another one is"
    );
    assert_eq!(findings(text)[0].related.as_ref().unwrap().line, 1);
}

#[test]
fn names_have_their_letters_and_length() {
    for wrong in ["a b", "A", "é", "a/b", "", &"x".repeat(65)] {
        let text = format!("[policies.\"{wrong}\"]\nquota = \"1/s\"\n");
        assert_eq!(
            finding(&text),
            format!("1:11 `{wrong}` is not a policy's name")
        );
    }
    let long = "x".repeat(64);
    settings(&format!("[policies.{long}]\nquota = \"1/s\"\n"));
    let text = format!("[[routes]]\nmatch = \"/{long}\"\npolicies = [\"1/s\"]\n");
    assert_eq!(
        finding(&text),
        format!("3:13 this policy would be named `{long}-second`, which is not a name")
    );
    assert_eq!(
        finding(
            "[plans.Free]\npolicies = [{ name = \"a\", quota = \"1/s\" }]\n[plans.anonymous]\npolicies = []\n"
        ),
        "1:8 `Free` is not a plan's name"
    );
}

#[test]
fn a_policy_of_the_table_has_its_name_already() {
    let text = "[policies.a]\nname = \"b\"\nquota = \"1/s\"\n";
    assert_eq!(
        finding(text),
        "2:8 a policy of [policies] has its name already"
    );
}

#[test]
fn a_reference_finds_its_policy() {
    let text = "[policies.writes]\nquota = \"1/s\"\n[plans.anonymous]\npolicies = [\"@write\"]\n";
    assert_eq!(
        finding(text),
        "4:13 there is no policy `write` in [policies]"
    );
    assert_eq!(help(text), "did you mean `@writes`?");
    let text = "[plans.anonymous]\npolicies = [{ name = \"in\", quota = \"1/s\" }, \"@in\"]\n";
    assert_eq!(finding(text), "2:45 there is no policy `in` in [policies]");
    assert_eq!(
        help(text),
        "only a policy of [policies] can be used in several lists"
    );
}

#[test]
fn a_list_has_a_policy_once() {
    let text = "[policies.a]\nquota = \"1/s\"\n[plans.anonymous]\npolicies = [\"@a\", \"@a\"]\n";
    assert_eq!(finding(text), "4:19 the policy `a` is twice in this list");
}

#[test]
fn rl_33_equal_numbers_are_two_policies_and_one_name_is_one() {
    let settings = settings(
        r#"
        [policies.shared]
        quota = "3/minute"
        partition_by = ["client_ip"]
        [[routes]]
        match = "/a"
        policies = ["3/minute", "@shared"]
        [[routes]]
        match = "/b"
        policies = ["3/minute", "@shared"]
        "#,
    );
    let name = |route: usize, policy: usize| settings.routes[route].policies[policy].name.as_str();
    assert_eq!((name(0, 0), name(1, 0)), ("a-minute", "b-minute"));
    assert_eq!((name(0, 1), name(1, 1)), ("shared", "shared"));
    let partition = |route: usize| &settings.routes[route].policies[1].partition_by;
    assert_eq!(partition(0), partition(1));
}
