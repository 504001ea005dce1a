//! No text panics, be it noise or a file with a few letters changed.
#![allow(clippy::arithmetic_side_effects)]

use aforo_policy::file::FileError;
use aforo_policy::{PolicySet, Settings};
use proptest::prelude::*;

use super::Surroundings;

const FILES: [&str; 4] = [
    include_str!("../../../../examples/quickstart.toml"),
    include_str!("../../../../examples/saas-tiers.toml"),
    include_str!("../../../../examples/login.toml"),
    include_str!("../../../../examples/platform.toml"),
];

/// Pieces that files are made of.
const PIECES: [&str; 40] = [
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    "\"",
    "'",
    "\n",
    ",",
    ".",
    "#",
    "${X}",
    "${",
    "\\u0000",
    "é",
    "policies",
    "plans.free",
    "policies.a",
    "routes",
    "consumers",
    "quota",
    "match",
    "1/s",
    "60/minute burst 10",
    "@a",
    "default",
    "include",
    "aforo.toml",
    "partition_by",
    "body:/a | caller",
    "0",
    "-1",
    "18446744073709551615",
    "true",
    "2027-01-31",
    "until",
    "10/2months",
    "identity",
];

fn parse(text: &str) -> Result<Settings, FileError> {
    Surroundings::default()
        .variable("X", "1")
        .file("conf/a.toml", "[plans.a]\npolicies = []\n")
        .parse(text)
}

/// Whatever comes of it, it can be used or shown.
fn use_it(text: &str) {
    match parse(text) {
        Ok(settings) => drop(PolicySet::new(std::sync::Arc::new(settings))),
        Err(error) => {
            assert!(!error.findings().is_empty());
            for finding in error.findings() {
                assert!(finding.line >= 1 && finding.column >= 1);
            }
            assert!(!error.to_string().is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn noise_does_not_panic(text in "(?s).{0,200}") {
        use_it(&text);
    }

    #[test]
    fn pieces_do_not_panic(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)) {
        use_it(&pieces.concat());
    }

    #[test]
    fn a_changed_file_does_not_panic(
        file in prop::sample::select(&FILES[..]),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0usize..12, prop::sample::select(&PIECES[..])),
            1..6,
        ),
    ) {
        let mut text = file.to_owned();
        for (place, dropped, piece) in changes {
            let start = text.floor_char_boundary(place.index(text.len()));
            let end = text.floor_char_boundary((start + dropped).min(text.len()));
            text.replace_range(start..end.max(start), piece);
        }
        use_it(&text);
    }

    #[test]
    fn a_changed_value_does_not_panic(
        file in prop::sample::select(&FILES[..]),
        line in any::<prop::sample::Index>(),
        value in prop_oneof![
            "\"[ -~]{0,30}\"",
            "[0-9]{1,20}",
            prop::sample::select(&PIECES[..]).prop_map(|piece| format!("\"{piece}\"")),
            prop::sample::select(&PIECES[..]).prop_map(|piece| format!("[\"{piece}\"]")),
            prop::sample::select(&PIECES[..]).prop_map(|piece| format!("{{ quota = \"{piece}\" }}")),
        ],
    ) {
        let lines: Vec<&str> = file.lines().collect();
        let setting: Vec<usize> = (0..lines.len())
            .filter(|at| lines[*at].contains(" = ") && !lines[*at].starts_with('#'))
            .collect();
        let at = setting[line.index(setting.len())];
        let name = lines[at].split(" = ").next().unwrap_or_default();
        let changed = format!("{name} = {value}");
        let mut lines = lines;
        lines[at] = &changed;
        use_it(&lines.join("\n"));
    }
}
