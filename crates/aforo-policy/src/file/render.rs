//! Errors of a file for people: plain ASCII frames, nothing of the file reaches a terminal raw.

use std::fmt::Write;

use super::{FileError, Finding};

/// How much of a long line is shown around the place that is meant.
const SHOWN: usize = 100;

impl FileError {
    /// All findings with their lines, a caret under each place, what was expected, and what to do.
    pub fn render(&self) -> String {
        let mut out = String::new();
        for finding in &self.findings {
            finding.render(&mut out);
            out.push('\n');
        }
        let count = self.findings.len();
        let errors = if count == 1 { "error" } else { "errors" };
        let _ = write!(out, "{count} {errors}");
        out
    }
}

impl Finding {
    fn render(&self, out: &mut String) {
        let gutter = " ".repeat(self.line.to_string().len());
        let _ = writeln!(out, "error: {}", printable(&self.message));
        let _ = writeln!(
            out,
            "{gutter}--> {}:{}:{}",
            printable(&self.file),
            self.line,
            self.column
        );
        let (line, caret) = self.window();
        let _ = writeln!(out, "{gutter} |");
        let _ = writeln!(out, "{} | {}", self.line, line.trim_end());
        let _ = writeln!(out, "{gutter} | {caret}");
        if let Some(expected) = &self.expected {
            let _ = writeln!(out, "{gutter} = expected: {}", printable(expected));
        }
        if let Some(help) = &self.help {
            let _ = writeln!(out, "{gutter} = help: {}", printable(help));
        }
        if let Some(related) = &self.related {
            let _ = writeln!(
                out,
                "{gutter} = {}: {}:{}:{}",
                printable(&related.message),
                printable(&related.file),
                related.line,
                related.column
            );
        }
    }

    /// The line as it can be printed, and the carets below it.
    fn window(&self) -> (String, String) {
        let lead = self.column.saturating_sub(1);
        let skipped = lead.saturating_sub(SHOWN / 2);
        let mut line = String::new();
        let mut caret = String::new();
        if skipped > 0 {
            line.push_str("...");
            caret.push_str("   ");
        }
        let end = lead.saturating_add(self.width);
        let mut characters = self.source_line.chars().enumerate().skip(skipped);
        for (index, character) in characters.by_ref().take(SHOWN) {
            let shown = printable_char(character);
            let mark = if (lead..end).contains(&index) {
                "^"
            } else {
                " "
            };
            caret.push_str(&mark.repeat(shown.chars().count()));
            line.push_str(&shown);
        }
        if characters.next().is_some() {
            line.push_str("...");
        }
        let caret = caret.trim_end();
        if caret.is_empty() {
            let columns = line.chars().count();
            return (line, format!("{}^", " ".repeat(columns)));
        }
        (line, caret.to_owned())
    }
}

/// Text without anything that a terminal would obey or that hides: letters and digits of any
/// script and ASCII stay, everything else is written as an escape.
pub(in crate::file) fn printable(text: &str) -> String {
    text.chars().map(printable_char).collect()
}

fn printable_char(character: char) -> String {
    if character == '\t' {
        " ".to_owned()
    } else if (character.is_ascii() && !character.is_ascii_control()) || character.is_alphanumeric()
    {
        character.to_string()
    } else {
        character.escape_unicode().to_string()
    }
}
