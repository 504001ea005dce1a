//! From texts to raw tables: syntax, includes, variables.

use std::path::{Component, Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::Environment;
use super::findings::Findings;
use super::raw::RawFile;
use super::read::{Field, List, Named, Node, Read, Reader, Text};
use super::source::{Location, Source};
use super::table::Table;

/// What was read of a file and its includes.
pub(in crate::file) struct Loaded {
    pub(in crate::file) file: Option<RawFile>,
    pub(in crate::file) findings: Findings,
    pub(in crate::file) sources: Vec<Source>,
}

/// Reads a file and what it includes.
pub(in crate::file) fn load(name: &str, text: &str, environment: &dyn Environment) -> Loaded {
    let mut loader = Loader {
        environment,
        findings: Findings::default(),
        sources: Vec::new(),
        included: Vec::new(),
        files: Vec::new(),
    };
    loader.read(Path::new(name), text.to_owned());
    let mut files = std::mem::take(&mut loader.files).into_iter();
    let file = files.next().map(|first| {
        files.fold(first, |mut file, included| {
            file.join(included, &mut loader.findings);
            file
        })
    });
    Loaded {
        file,
        findings: loader.findings,
        sources: loader.sources,
    }
}

struct Loader<'e> {
    environment: &'e dyn Environment,
    findings: Findings,
    sources: Vec<Source>,
    /// Every file so far with the place that named it.
    included: Vec<(PathBuf, Option<Location>)>,
    files: Vec<RawFile>,
}

impl Loader<'_> {
    /// Reads one text, then its includes in order.
    fn read(&mut self, path: &Path, text: String) {
        let number = self.sources.len();
        if number == 0 {
            self.included.push((plain(path), None));
        }
        let (document, errors) = DeTable::parse_recoverable(&text);
        let mut sound = true;
        for error in &errors {
            sound &= note_syntax_error(&text, number, error, &mut self.findings);
        }
        let mut reader = Reader {
            file: number,
            text: &text,
            environment: self.environment,
            findings: &mut self.findings,
        };
        let value = DeValue::Table(document.into_inner());
        let at = reader.location(0..0);
        let node = Node { value: &value, at };
        let file = sound.then(|| RawFile::read(node, &mut reader)).flatten();
        let includes = file.as_ref().and_then(|file| file.include.get().cloned());
        self.sources.push(Source {
            name: path.display().to_string(),
            text: text.clone(),
        });
        self.files.extend(file);
        for include in includes.into_iter().flat_map(|list| list.items) {
            self.include(path, &include);
        }
    }

    fn include(&mut self, from: &Path, include: &Text) {
        let folder = from.parent().unwrap_or(Path::new(""));
        let path = plain(&folder.join(&include.value));
        let earlier = self.included.iter().find(|(known, _)| *known == path);
        if let Some((_, place)) = earlier {
            let message = match place {
                Some(_) => format!("`{}` is included twice", include.written),
                None => format!("`{}` includes itself", include.written),
            };
            let place = *place;
            let fault = self.findings.add(include.at, message);
            if let Some(place) = place {
                fault.also(place, "first included here");
            }
            return;
        }
        self.included.push((path.clone(), Some(include.at)));
        match self.environment.read(&path) {
            Ok(text) => self.read(&path, text),
            Err(error) => {
                self.findings
                    .add(
                        include.at,
                        format!("`{}` cannot be read: {error}", include.written),
                    )
                    .help("an include is relative to the folder of the file that names it");
            }
        }
    }
}

/// A path without `.` and with `..` resolved by its text.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Notes a syntax error; whether what was read besides it can be relied upon.
fn note_syntax_error(
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
        findings.add(at, format!("not TOML: {}", error.message()));
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

/// Puts `${NAME}` variables into a string; `$${` writes `${`.
pub(in crate::file) fn substitute(
    text: &Text,
    environment: &dyn Environment,
    findings: &mut Findings,
) -> Option<String> {
    let mut value = String::new();
    let mut whole = true;
    let mut rest = text.value.as_str();
    while let Some(dollar) = rest.find("${") {
        let offset = text.value.len().saturating_sub(rest.len());
        let start = offset.saturating_add(dollar);
        let before = rest.get(..dollar).unwrap_or_default();
        let after = rest.get(dollar.saturating_add(2)..).unwrap_or_default();
        if let Some(before) = before.strip_suffix('$') {
            value.push_str(before);
            value.push_str("${");
            rest = after;
            continue;
        }
        value.push_str(before);
        let name = after.split('}').next().unwrap_or_default();
        let closed = after.len() > name.len();
        let end = start.saturating_add(name.len()).saturating_add(3);
        let proper = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !closed || !proper {
            findings
                .add(text.part(start..end), "an unfinished variable")
                .expected("${NAME}, the name of an environment variable")
                .help("`$${` writes the characters themselves");
            return None;
        }
        match environment.variable(name) {
            Some(variable) => value.push_str(&variable),
            None => {
                whole = false;
                findings
                    .add(
                        text.part(start..end),
                        format!("the environment variable `{name}` is not set"),
                    )
                    .help(format!("set {name} before starting"));
            }
        }
        rest = after
            .get(name.len().saturating_add(1)..)
            .unwrap_or_default();
    }
    value.push_str(rest);
    whole.then_some(value)
}

impl RawFile {
    /// Adds what an included file says.
    fn join(&mut self, other: Self, findings: &mut Findings) {
        join_one(&mut self.gateway, other.gateway, findings);
        join_one(&mut self.edge, other.edge, findings);
        join_one(&mut self.identity, other.identity, findings);
        join_one(&mut self.paths, other.paths, findings);
        join_one(&mut self.responses, other.responses, findings);
        join_named(&mut self.stores, other.stores, findings);
        join_named(&mut self.plans, other.plans, findings);
        join_named(&mut self.teams, other.teams, findings);
        join_named(&mut self.policies, other.policies, findings);
        join_list(&mut self.groups, other.groups);
        join_list(&mut self.routes, other.routes);
        join_list(&mut self.consumers, other.consumers);
    }
}

fn join_one<T: Table>(field: &mut Field<T>, other: Field<T>, findings: &mut Findings) {
    match (&*field, &other) {
        (Field::Given(first), Field::Given(second)) => {
            findings
                .add(second.place(), "this section is in two files")
                .also(first.place(), "the first one is here");
        }
        (Field::Absent, _) => *field = other,
        (_, _) => {}
    }
}

fn join_named<T>(field: &mut Field<Named<T>>, other: Field<Named<T>>, findings: &mut Findings) {
    match (&mut *field, other) {
        (Field::Given(named), Field::Given(others)) => {
            for (name, value) in others.0 {
                let first = named.0.iter().find(|(known, _)| known.value == name.value);
                if let Some((first, _)) = first {
                    findings
                        .add(name.at, format!("`{}` is here a second time", name.value))
                        .also(first.at, "the first one is here");
                    continue;
                }
                named.0.push((name, value));
            }
        }
        (Field::Given(_), _) => {}
        (field, other) => *field = other,
    }
}

fn join_list<T>(field: &mut Field<List<T>>, other: Field<List<T>>) {
    match (&mut *field, other) {
        (Field::Given(list), Field::Given(others)) => list.items.extend(others.items),
        (Field::Given(_), _) => {}
        (field, other) => *field = other,
    }
}
