//! What is wrong with a file, collected while it is read.

use super::source::{Location, Source};
use super::{FileError, Finding, Related};

/// Everything that was found so far.
#[derive(Debug, Default)]
pub(in crate::file) struct Findings(Vec<Fault>);

/// One thing that is wrong, by place.
#[derive(Debug)]
pub(in crate::file) struct Fault {
    at: Location,
    message: String,
    expected: Option<String>,
    help: Option<String>,
    also: Option<(Location, String)>,
}

impl Findings {
    /// Notes that something is wrong.
    pub(in crate::file) fn add(&mut self, at: Location, message: impl Into<String>) -> &mut Fault {
        let fault = Fault {
            at,
            message: message.into(),
            expected: None,
            help: None,
            also: None,
        };
        self.0.push_mut(fault)
    }

    /// Notes that a part of the contract is not built yet.
    pub(in crate::file) fn later(&mut self, at: Location, what: &str) {
        self.add(at, format!("`{what}` is not available yet"))
            .help("leave it out for now");
    }

    /// Whether nothing is wrong so far.
    pub(in crate::file) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many things are wrong so far.
    pub(in crate::file) fn len(&self) -> usize {
        self.0.len()
    }

    /// Everything as one error, in the files' order; one finding for each place and message.
    pub(in crate::file) fn into_error(mut self, sources: &[Source]) -> FileError {
        self.0.sort_by_key(|fault| fault.at);
        self.0
            .dedup_by(|a, b| a.at == b.at && a.message == b.message);
        let findings = self.0.iter().map(|fault| fault.finding(sources)).collect();
        FileError { findings }
    }
}

impl Fault {
    /// What was expected instead.
    pub(in crate::file) fn expected(&mut self, expected: impl Into<String>) -> &mut Self {
        self.expected = Some(expected.into());
        self
    }

    /// What to do.
    pub(in crate::file) fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// A second place that belongs to it.
    pub(in crate::file) fn also(&mut self, at: Location, message: impl Into<String>) -> &mut Self {
        self.also = Some((at, message.into()));
        self
    }

    fn finding(&self, sources: &[Source]) -> Finding {
        let empty = Source {
            name: String::new(),
            text: String::new(),
        };
        let source = sources.get(self.at.file).unwrap_or(&empty);
        let position = source.position(self.at);
        Finding {
            file: source.name.clone(),
            line: position.line,
            column: position.column,
            width: position.width,
            source_line: crate::settings::blackened_line(&position.text),
            message: self.message.clone(),
            expected: self.expected.clone(),
            help: self.help.clone(),
            related: self.also.as_ref().map(|(at, message)| {
                let source = sources.get(at.file).unwrap_or(&empty);
                let position = source.position(*at);
                Related {
                    file: source.name.clone(),
                    line: position.line,
                    column: position.column,
                    message: message.clone(),
                }
            }),
        }
    }
}
