//! Unknown fields, wrong types, missing fields: all of them at once.

use super::{Surroundings, finding, findings, help, lines, settings};

#[test]
fn every_error_is_told_at_once_in_the_files_order() {
    let found = lines(
        r#"
[gateway]
listen = 8080
upstream = "http://a"
liste = "x"

[plans.free]
policies = ["10/horu", "-5/min", 7]
titel = "Free"

[[routes]]
cost = "five"

[whatever]
"#,
    );
    assert_eq!(
        found,
        [
            "3:10 found the integer 8080",
            "4:12 found the string \"http://a\"",
            "5:1 unknown field `liste`",
            "7:8 there is no plan `anonymous`",
            "8:17 a wrong quota: `horu` is not a unit",
            "8:25 a wrong quota: `-5` is not an amount",
            "8:34 found the integer 7",
            "9:1 unknown field `titel`",
            "11:1 the field `match` is missing",
            "12:8 found the string \"five\"",
            "14:2 unknown field `whatever`",
        ]
    );
}

#[test]
fn rlx_09_a_misspelled_field_is_an_error_and_never_a_default() {
    let text = "[policies.a]\nquota = \"2/minute\"\npartitionBy = [\"client_ip\"]\n";
    assert_eq!(finding(text), "3:1 unknown field `partitionBy`");
    assert_eq!(help(text), "did you mean `partition_by`?");
    let text = "[policies.a]\nQuota = \"2/minute\"\n";
    assert_eq!(
        lines(text),
        [
            "1:1 the field `quota` is missing",
            "2:1 unknown field `Quota`"
        ]
    );
    // A policy that cannot be built is never absent: what refers to it does not start.
    let text = "[policies.a]\nquota = \"2\"\n[plans.anonymous]\npolicies = [\"@a\"]\n";
    assert_eq!(finding(text), "2:10 a wrong quota: `2` has no window");
}

#[test]
fn rl_32_every_bad_quota_of_a_file_names_line_field_and_units() {
    for (value, column) in [
        ("10/horu", 13),
        ("6O/min", 10),
        ("", 10),
        ("-5/min", 10),
        ("1e3/min", 10),
        ("10 per", 10),
        ("5/0s", 12),
        ("1.5/s", 10),
    ] {
        let text = format!("[policies.a]\nquota = \"{value}\"\n");
        let found = &findings(&text)[0];
        assert_eq!((found.line, found.column), (2, column), "{value}");
        assert!(found.source_line.starts_with("quota = "));
        assert!(found.expected.is_some());
    }
    let found = findings("[policies.a]\nquota = \"10/horu\"\n");
    let units = "second, minute, hour, day, week, month, their plurals, or ms, s, min, h, d";
    assert_eq!(found[0].expected.as_deref(), Some(units));
    for value in ["100/minute", "100/minutes"] {
        settings(&format!("[policies.a]\nquota = \"{value}\"\n"));
    }
}

#[test]
fn rlx_27_what_is_here_twice_names_both_places() {
    let text = "[policies.plus]\nquota = \"20/minute\"\n\n[policies.plus]\nquota = \"10/day\"\n";
    let found = findings(text);
    assert_eq!(found[0].message, "`plus` is here a second time");
    assert_eq!((found[0].line, found[0].column), (4, 11));
    let first = found[0].related.as_ref().unwrap();
    assert_eq!((first.line, first.column), (1, 11));

    let text = "[policies.plus]\nquota = \"20/minute\"\nquota = \"10/day\"\n";
    let found = findings(text);
    assert_eq!(found[0].message, "`quota` is here a second time");
    assert_eq!(found[0].line, 3);
    assert_eq!(found[0].related.as_ref().unwrap().line, 2);
}

#[test]
fn rlx_27_what_is_here_twice_does_not_hide_other_errors() {
    let text = "[policies.a]\nquota = \"1/s\"\n[policies.a]\nburts = 1\n[plans.x]\n";
    let messages: Vec<String> = lines(text);
    assert!(
        messages.contains(&"3:11 `a` is here a second time".to_owned()),
        "{messages:?}"
    );
    assert!(
        messages.contains(&"4:1 unknown field `burts`".to_owned()),
        "{messages:?}"
    );
    assert!(
        messages.contains(&"5:1 the field `policies` is missing".to_owned()),
        "{messages:?}"
    );
}

#[test]
fn text_that_is_not_toml_is_told_with_its_place() {
    let found = lines("[plans.free]\npolicies = [\"1/s\"\n\n[plans.pro\n");
    assert!(found[0].contains("not TOML"), "{found:?}");
    let found = findings("a = \n");
    assert_eq!(found[0].line, 1);
    let found = findings("\u{feff}[gatewy]\n");
    assert_eq!(found[0].message, "unknown field `gatewy`");
}

#[test]
fn numbers_have_their_range() {
    let prefix = |value: &str| finding(&format!("[identity]\nipv6_prefix = {value}\n"));
    assert_eq!(prefix("0"), "2:15 found 0");
    assert_eq!(prefix("129"), "2:15 found 129");
    assert_eq!(prefix("-1"), "2:15 found the integer -1");
    assert_eq!(prefix("6.5"), "2:15 found the number 6.5");
    assert_eq!(
        prefix("99999999999999999999"),
        "2:15 found the integer 99999999999999999999"
    );
    let found = settings("[identity]\nipv6_prefix = 0x30\n");
    assert_eq!(found.identity.ipv6_prefix, 48);
}

#[test]
fn words_are_of_their_list() {
    let text = "[paths]\ntrailing_slash = \"ignored\"\n";
    assert_eq!(finding(text), "2:18 found \"ignored\"");
    assert_eq!(help(text), "did you mean \"ignore\"?");
    let found = findings(text);
    assert_eq!(
        found[0].expected.as_deref(),
        Some("\"strict\" or \"ignore\"")
    );
}

#[test]
fn variables_are_put_into_strings() {
    let surroundings = Surroundings::default()
        .variable("PORT", "9000")
        .variable("AMOUNT", "7");
    let settings = surroundings
        .parse(
            "[gateway]\nlisten = \"127.0.0.1:${PORT}\"\nupstream = [\"builtin:echo\"]\n\
             [plans.anonymous]\ntitle = \"$${PORT} costs $5\"\npolicies = [\"${AMOUNT}/minute\"]\n",
        )
        .unwrap();
    assert_eq!(settings.gateway.unwrap().listen.port(), 9_000);
    let plan = &settings.plans["anonymous"];
    assert_eq!(plan.title.as_deref(), Some("${PORT} costs $5"));
    assert_eq!(super::quota(&plan.policies[0]).amount(), 7);
}

#[test]
fn a_missing_variable_is_an_error_with_its_place() {
    let text = "[policies.a]\nquota = \"${LIMIT}/minute\"\n";
    assert_eq!(
        finding(text),
        "2:10 the environment variable `LIMIT` is not set"
    );
    assert_eq!(
        finding("[policies.a]\nquota = \"${LIMIT\"\n"),
        "2:10 an unfinished variable"
    );
    assert_eq!(
        finding("[policies.a]\nquota = \"${}/s\"\n"),
        "2:10 an unfinished variable"
    );
}

#[test]
fn the_value_of_a_variable_is_never_shown() {
    let surroundings = Surroundings::default().variable("SECRET", "hunter2");
    let text = "[gateway]\nlisten = \"${SECRET}\"\nupstream = [\"http://${SECRET}@a\"]\n\
                [identity]\nanonymous = \"${SECRET}\"\n[policies.a]\nquota = \"${SECRET}/s\"\n\
                partition_by = [\"${SECRET}\"]\n[stores.default]\nurl = \"${SECRET}\"\ntimeout = \"${SECRET}\"\n\
                [[routes]]\nmatch = \"${SECRET} /\"\n[[consumers]]\nid = \"a\"\nplan = \"${SECRET}\"\n";
    let error = surroundings.parse(text).unwrap_err().to_string();
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn deep_nesting_is_an_error() {
    for open in ["[", "{a=", "a."] {
        let text = format!("a = {}", open.repeat(50_000));
        assert!(!findings(&text).is_empty());
        let text = format!("{}a = 1", open.repeat(50_000));
        assert!(!findings(&text).is_empty());
    }
}

#[test]
fn a_list_that_is_left_open_is_one_error() {
    let text = "[plans.free]\npolicies = [\"1/s\"\n\n[plans.pro]\npolicies = [\"2/s\"]\n";
    assert_eq!(
        finding(text),
        "4:1 not TOML: missing comma between array elements, expected `,`"
    );
    assert_eq!(help(text), "or the list before is not closed by ]");
}

#[test]
fn a_quota_without_quotes_is_told_to_have_them() {
    let text = "[plans.free]\npolicies = [60/minute]\n";
    assert_eq!(findings(text)[0].line, 2);
    assert_eq!(help(text), "a quota is a string: \"60/minute\", in quotes");
}
