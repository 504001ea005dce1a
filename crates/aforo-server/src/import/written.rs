//! The aforo file that is written.

use std::collections::BTreeSet;
use std::fmt::Write;

const HEAD: &str = "# Written by `aforo import`. What differs from the file that it comes from is said in comments.\n\
\n\
[decide]\n\
grpc = \"127.0.0.1:8081\"\n";

/// The longest name of a policy.
const LONGEST: usize = 64;

/// The aforo file that is written.
#[derive(Debug, Default)]
pub(super) struct Written {
    tables: String,
    names: BTreeSet<String>,
    lacking: Vec<String>,
}

/// An entry of a descriptor: a key, and its value unless any will do.
pub(super) type Entry = (String, Option<String>);

impl Written {
    /// The whole file.
    pub(super) fn text(&self) -> String {
        format!("{HEAD}{}", self.tables)
    }

    /// What has no equivalent.
    pub(super) fn lacking(&self) -> &[String] {
        &self.lacking
    }

    /// Notes what has no equivalent.
    pub(super) fn lacks(&mut self, what: String) {
        self.comment(&format!("No equivalent: {what}"));
        self.lacking.push(what);
    }

    /// Adds a comment.
    pub(super) fn comment(&mut self, text: &str) {
        self.tables.push('\n');
        for line in text.lines() {
            self.line(format_args!("# {}", printable(line)));
        }
    }

    /// Adds a line.
    pub(super) fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.tables, "{line}");
    }

    /// Adds a descriptor; `policies` are entries of a list, written as TOML.
    pub(super) fn descriptor(&mut self, domain: &str, entries: &[Entry], policies: &[String]) {
        self.tables.push('\n');
        self.line(format_args!("[[descriptors]]"));
        self.line(format_args!("domain = {}", quoted(domain)));
        let entries: Vec<String> = entries.iter().map(entry).collect();
        self.line(format_args!("entries = [{}]", entries.join(", ")));
        if !policies.is_empty() {
            self.line(format_args!("policies = [{}]", policies.join(", ")));
        }
    }

    /// A name for a policy that no other has.
    pub(super) fn name(&mut self, wanted: &str) -> String {
        let plain = |letter: char| match letter.to_ascii_lowercase() {
            kept @ ('a'..='z' | '0'..='9' | '.' | '_' | '-') => kept,
            _ => '-',
        };
        let plain: String = wanted
            .chars()
            .map(plain)
            .take(LONGEST.saturating_sub(5))
            .collect();
        let plain = if plain.is_empty() {
            "limit".to_owned()
        } else {
            plain
        };
        let mut name = plain.clone();
        let mut number = 2u32;
        while !self.names.insert(name.clone()) {
            name = format!("{plain}-{number}");
            number = number.saturating_add(1);
        }
        name
    }
}

fn entry((key, value): &Entry) -> String {
    match value {
        Some(value) => format!("{{ key = {}, value = {} }}", quoted(key), quoted(value)),
        None => format!("{{ key = {} }}", quoted(key)),
    }
}

/// A TOML string that says just this; `${` would name a variable.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.replace("${", "$${").chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn printable(line: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    line.chars().map(plain).collect()
}
