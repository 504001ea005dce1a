//! `aforo check`: the same verdict that `run` comes to, and what the file says in words.

use std::io::{self, Write};
use std::process::ExitCode;

use aforo_policy::file::Finding;
use serde_json::{Value, json};

use crate::cli::{Check, Format};
use crate::file::{self, Invalid};
use crate::{lint, overview};

/// Valid, with findings.
const FINDINGS: u8 = 1;
/// Invalid, or unreadable.
const INVALID: u8 = 2;

/// Validates a file.
pub(crate) fn check(check: &Check, format: Format) -> ExitCode {
    let (report, code) = match file::read(&check.file) {
        Ok(settings) => {
            let findings = lint::findings(&settings);
            let lines = overview::of(&settings);
            let code = if findings.is_empty() { 0 } else { FINDINGS };
            let report = match format {
                Format::Text => for_people(&check.file.display().to_string(), &lines, &findings),
                Format::Json => {
                    json!({ "valid": true, "policies": lines, "findings": findings, "errors": [] })
                        .to_string()
                }
            };
            (report, code)
        }
        Err(invalid) => {
            let report = match format {
                Format::Text => invalid.to_string(),
                Format::Json => {
                    json!({ "valid": false, "policies": [], "findings": [], "errors": errors(&invalid) })
                        .to_string()
                }
            };
            (report, INVALID)
        }
    };
    match writeln!(io::stdout(), "{}", report.trim_end()) {
        Ok(()) => ExitCode::from(code),
        Err(_closed) => ExitCode::from(code.max(FINDINGS)),
    }
}

fn for_people(name: &str, lines: &[overview::Line], findings: &[String]) -> String {
    let mut report: Vec<String> = lines.iter().map(ToString::to_string).collect();
    report.extend(findings.iter().map(|finding| format!("warning: {finding}")));
    report.push(match findings.len() {
        0 => format!("{name} is valid"),
        1 => format!("{name} is valid, with 1 finding"),
        count => format!("{name} is valid, with {count} findings"),
    });
    report.join("\n")
}

fn errors(invalid: &Invalid) -> Vec<Value> {
    match invalid {
        Invalid::Unreadable { path, source } => {
            vec![json!({ "file": path, "message": format!("cannot be read: {source}") })]
        }
        Invalid::File(error) => error.findings().iter().map(error_of).collect(),
    }
}

fn error_of(finding: &Finding) -> Value {
    json!({
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "message": finding.message,
        "expected": finding.expected,
        "help": finding.help,
    })
}
