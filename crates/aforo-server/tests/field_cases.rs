//! Keeps docs/field-cases.md true: every case that it calls tested has a test with its id.

#![allow(clippy::expect_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, found: &mut String) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, found);
        } else if name.ends_with(".rs") {
            found.push_str(&fs::read_to_string(&path).expect("a readable source"));
        }
    }
}

#[test]
fn every_case_called_tested_has_a_test_with_its_id() {
    let table = fs::read_to_string(root().join("docs/field-cases.md")).expect("the table of cases");
    let mut all = String::new();
    sources(&root(), &mut all);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| RL"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!(
        rows.len() == 73,
        "the table has {} cases, the field has 73",
        rows.len()
    );
    let missing: Vec<&str> = rows
        .iter()
        .filter(|row| row[2].starts_with("tested"))
        .filter(|row| !all.contains(&format!("fn {}_", row[0].to_lowercase().replace('-', "_"))))
        .map(|row| row[0])
        .collect();
    assert!(
        missing.is_empty(),
        "called tested but without a test: {missing:?}"
    );
    let unclear: Vec<&str> = rows
        .iter()
        .filter(|row| !row[2].starts_with("tested") && !row[2].starts_with("waits for"))
        .map(|row| row[0])
        .collect();
    assert!(
        unclear.is_empty(),
        "neither tested nor waiting: {unclear:?}"
    );
}
