//! `[[descriptors]]`.

use aforo_policy::{EntryMatch, Part, ValueMatch};

use super::{finding, findings, settings};

fn table(entries: &str, policies: &str) -> String {
    format!("[[descriptors]]\ndomain = \"web\"\nentries = {entries}\npolicies = {policies}\n")
}

#[test]
fn values_are_whole_or_a_beginning_or_any() {
    let entries = "[{ key = \"plan\", value = \"PLUS\" }, { key = \"path\", value = \"/a*\" }, \
                   { key = \"remote_address\" }]";
    let settings = settings(&table(entries, "[\"20/minute\", \"100/day\"]"));
    let descriptor = &settings.descriptors[0];
    let entry = |key: &str, value| EntryMatch {
        key: key.to_owned(),
        value,
    };
    assert_eq!(descriptor.domain, "web");
    assert_eq!(
        descriptor.entries,
        [
            entry("plan", ValueMatch::Exact("PLUS".to_owned())),
            entry("path", ValueMatch::Prefix("/a".to_owned())),
            entry("remote_address", ValueMatch::Any),
        ]
    );
    let names = descriptor.policies.iter().map(|one| one.name.as_str());
    let names: Vec<&str> = names.collect();
    assert_eq!(
        names,
        [
            "plan-plus-path--a-remote_address-minute",
            "plan-plus-path--a-remote_address-day"
        ]
    );
    assert_eq!(
        descriptor.policies[0].partition_by[0].0,
        [Part::Descriptor],
        "all that the descriptor says"
    );
}

#[test]
fn a_table_without_policies_exempts() {
    let text = "[[descriptors]]\ndomain = \"web\"\nentries = [{ key = \"a\", value = \"b\" }]\n";
    assert!(settings(text).descriptors[0].policies.is_empty());
}

#[test]
fn rlx_27_two_tables_for_one_descriptor_are_an_error_that_shows_both() {
    let entries = "[{ key = \"plan\", value = \"PLUS\" }]";
    let text = table(entries, "[\"20/minute\"]") + &table(entries, "[\"10/day\"]");
    let found = findings(&text);
    assert_eq!(found.len(), 1);
    assert_eq!(
        finding(&text),
        "5:1 another table is for the same descriptor"
    );
    let told = aforo_policy::Settings::parse("a.toml", &text, &super::Surroundings::default());
    let told = told.unwrap_err().to_string();
    assert!(told.contains("a.toml:1:1"), "{told}");
    // The same entries in another domain are another descriptor.
    settings(&text.replacen("web", "mail", 1));
}

#[test]
fn what_makes_no_sense_is_said() {
    let said = |entries: &str| finding(&table(entries, "[\"1/s\"]"));
    assert_eq!(said("[]"), "3:11 a descriptor without entries");
    assert_eq!(said("[{ key = \"\" }]"), "3:20 an entry without a key");
    for value in ["", "*"] {
        assert_eq!(
            said(&format!("[{{ key = \"a\", value = \"{value}\" }}]")),
            format!("3:33 `{value}` is not a value")
        );
    }
    assert_eq!(
        said("[{ key = \"a\", value = \"a*b\" }]"),
        "3:33 `a*b` has a * inside"
    );
    assert_eq!(
        finding("[[descriptors]]\ndomain = \"\"\nentries = [{ key = \"a\" }]\n"),
        "2:10 a domain without a name"
    );
}

#[test]
fn policies_count_by_what_the_descriptor_has() {
    let counts = |part: &str| {
        let policy = format!("[{{ quota = \"1/s\", partition_by = [\"{part}\"] }}]");
        table(
            "[{ key = \"user\" }, { key = \"remote_address\" }]",
            &policy,
        )
    };
    for part in [
        "descriptor",
        "descriptor:user",
        "client_ip",
        "client_ip/48",
        "everyone",
        "header:x | descriptor:user",
    ] {
        settings(&counts(part));
    }
    for part in ["caller", "header:x", "descriptor:users", "route"] {
        assert_eq!(
            finding(&counts(part)),
            format!(
                "4:13 `user-remote_address-second` counts by {part}, which this descriptor has not"
            )
        );
    }
    let alone = "[{ name = \"a\", quota = \"1/s\", partition_by = [\"client_ip\"] }]";
    assert_eq!(
        finding(&table("[{ key = \"user\" }]", alone)),
        "4:13 `a` counts by client_ip, which this descriptor has not"
    );
    assert_eq!(
        finding("[policies.\"envoy.limit\"]\nquota = \"1/s\"\n[decide]\nresp = \"127.0.0.1:1\"\n"),
        "1:11 `envoy.limit` is the policy of limits that come with an Envoy descriptor"
    );
}
