//! From texts to raw tables: a file and its includes.

use std::path::{Component, Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::Environment;
use super::findings::Findings;
use super::raw::RawFile;
use super::read::{Field, List, Named, Node, Read, Reader, Text};
use super::source::{Location, Source};
use super::syntax::{note_syntax_error, without_aftermath};
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
        for error in without_aftermath(&errors) {
            sound &= note_syntax_error(&text, number, error, &mut self.findings);
        }
        let mut reader = Reader {
            file: number,
            folder: path.parent().unwrap_or(Path::new("")),
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

impl RawFile {
    /// Adds what an included file says.
    fn join(&mut self, other: Self, findings: &mut Findings) {
        join_one(&mut self.gateway, other.gateway, findings);
        join_one(&mut self.decide, other.decide, findings);
        join_one(&mut self.edge, other.edge, findings);
        join_one(&mut self.identity, other.identity, findings);
        join_one(&mut self.graphql, other.graphql, findings);
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
