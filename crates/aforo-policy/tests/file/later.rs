//! What the contract has and this version has not: refused with its place, never ignored.

use super::{finding, lines};

#[test]
fn sections_that_are_not_built_yet() {
    assert_eq!(
        lines(
            "[admin]\nlisten = \"127.0.0.1:9090\"\n\
             [[expect]]\nx = 1\n"
        ),
        [
            "1:2 `admin` is not available yet",
            "3:3 `expect` is not available yet",
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
