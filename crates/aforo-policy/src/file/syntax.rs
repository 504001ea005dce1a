//! Syntax errors of TOML, told so that the mistake is found.

use super::findings::Findings;
use super::source::Location;

/// Syntax errors without those that only follow from a list that was left open.
pub(in crate::file) fn without_aftermath(errors: &[toml::de::Error]) -> &[toml::de::Error] {
    let open = errors
        .iter()
        .any(|error| error.message().starts_with("unclosed array"));
    let comma = errors
        .iter()
        .position(|error| error.message().starts_with("missing comma"));
    match comma.filter(|_| open) {
        Some(comma) => errors.get(..=comma).unwrap_or(errors),
        None => errors,
    }
}

/// Notes a syntax error; whether what was read besides it can be relied upon.
pub(in crate::file) fn note_syntax_error(
    text: &str,
    file: usize,
    error: &toml::de::Error,
    findings: &mut Findings,
) -> bool {
    let span = error.span().unwrap_or(0..0);
    let at = Location {
        file,
        start: span.start,
        end: span.end,
    };
    if error.message() != "duplicate key" {
        let fault = findings.add(at, format!("not TOML: {}", error.message()));
        let after = text.get(span.start..).unwrap_or_default();
        if error.message().starts_with("missing comma") {
            fault.help("or the list before is not closed by ]");
        } else if after.starts_with('/') {
            fault.help("a quota is a string: \"60/minute\", in quotes");
        }
        return false;
    }
    let key = text.get(span.clone()).unwrap_or_default();
    let fault = findings.add(at, format!("`{key}` is here a second time"));
    if let Some(first) = first_of(text, span.start, key) {
        let end = first.saturating_add(key.len());
        let first = Location {
            file,
            start: first,
            end,
        };
        fault.also(first, "the first one is here");
    }
    true
}

/// Where a key that is here twice was first: for a header the same header above, for a key the
/// nearest line above that sets it.
fn first_of(text: &str, offset: usize, key: &str) -> Option<usize> {
    let above = text.get(..offset)?;
    let line_start = above.rfind('\n').map_or(0, |at| at.saturating_add(1));
    let lead = text.get(line_start..offset)?;
    let before = text.get(..line_start)?;
    let mut start = before.len();
    let mut lines: Vec<(usize, &str)> = Vec::new();
    for line in before.split_inclusive('\n').rev() {
        start = start.saturating_sub(line.len());
        lines.push((start, line));
    }
    let is_header = lead.trim_start().starts_with('[');
    let found = |line: &&(usize, &str)| {
        let text = line.1.trim_start();
        if is_header {
            text.trim_start_matches('[')
                .trim_start()
                .starts_with(format!("{}{key}", lead.trim_start().trim_start_matches('[')).as_str())
        } else {
            let rest = text.strip_prefix(key).map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with('='))
        }
    };
    let (start, line) = lines.iter().find(found)?;
    line.find(key).map(|at| start.saturating_add(at))
}
