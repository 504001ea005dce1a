//! What the contract has and this version has not: refused with its place, never ignored.

use super::{finding, lines};

#[test]
fn sections_that_are_not_built_yet() {
    assert_eq!(
        lines(
            "[admin]\nlisten = \"127.0.0.1:9090\"\n\
             [[descriptors]]\ndomain = \"a\"\n[[expect]]\nx = 1\n"
        ),
        [
            "1:2 `admin` is not available yet",
            "3:3 `descriptors` is not available yet",
            "5:3 `expect` is not available yet",
        ]
    );
}

#[test]
fn fields_that_are_not_built_yet() {
    for (section, field) in [
        ("gateway", "docs_path = \"/docs\""),
        ("policies.a", "concurrent = 5"),
    ] {
        let name = field.split(' ').next().unwrap();
        assert_eq!(
            finding(&format!("[{section}]\n{field}\n")),
            format!("2:1 `{name}` is not available yet")
        );
    }
}

#[test]
fn words_and_parts_that_are_not_built_yet() {
    let policy = |line: &str| finding(&format!("[policies.a]\nquota = \"1/s\"\n{line}\n"));
    assert_eq!(
        policy("partition_by = [\"caller\", \"header:x | descriptor:plan\"]"),
        "3:39 `descriptor:` is not available yet"
    );
}
