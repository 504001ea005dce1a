//! Reading the file.
//!
//! `load` reads texts into raw tables, `check` makes [`Settings`] of them. Both go on after an
//! error, so that every error of a file is told at once.

mod check;
mod findings;
mod length;
mod load;
mod nearest;
mod quota;
mod raw;
mod read;
mod render;
mod schema;
mod source;
mod syntax;
mod table;
mod variables;

use std::path::Path;

use thiserror::Error;

use crate::Settings;

pub(crate) use nearest::nearest;
pub(crate) use quota::QuotaFields;
pub use quota::{Amount, PolicyTextError, QuotaText, QuotaTextError, QuotaUnit};
pub use schema::schema;

/// Every error of a file at once, each with file, line, column, a caret, what was found and what
/// was expected. `Display` is for people.
#[derive(Debug, Error)]
#[error("{}", self.render())]
pub struct FileError {
    findings: Vec<Finding>,
}

/// One error of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// How many characters from there are meant.
    pub width: usize,
    /// The whole line, raw but for passwords.
    pub source_line: String,
    /// What was found.
    pub message: String,
    /// What was expected.
    pub expected: Option<String>,
    /// What to do.
    pub help: Option<String>,
    /// A second place that belongs to it.
    pub related: Option<Related>,
}

/// A second place that belongs to an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is there.
    pub message: String,
}

impl FileError {
    /// The errors, in the file's order.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

/// What a file takes from its surroundings.
pub trait Environment {
    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;
    /// The text of another file, for `include` and secrets.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, path: &Path) -> std::io::Result<String>;
}

impl Settings {
    /// Reads a file's text. `name` is shown in errors; includes are relative to its folder.
    ///
    /// ```
    /// use aforo_policy::{Settings, file::Environment};
    ///
    /// struct Nothing;
    /// impl Environment for Nothing {
    ///     fn variable(&self, _: &str) -> Option<String> {
    ///         None
    ///     }
    ///     fn read(&self, _: &std::path::Path) -> std::io::Result<String> {
    ///         Err(std::io::ErrorKind::NotFound.into())
    ///     }
    /// }
    ///
    /// let text = r#"
    ///     [plans.anonymous]
    ///     policies = ["60/minute burst 10"]
    /// "#;
    /// let settings = Settings::parse("aforo.toml", text, &Nothing)?;
    /// let policies = &settings.plans["anonymous"].policies;
    /// assert_eq!(policies[0].name.as_str(), "anonymous-minute");
    ///
    /// let error = Settings::parse("aforo.toml", "[gatway]", &Nothing).unwrap_err();
    /// assert_eq!(error.findings()[0].help.as_deref(), Some("did you mean `gateway`?"));
    /// # Ok::<(), aforo_policy::file::FileError>(())
    /// ```
    ///
    /// # Errors
    /// Every error at once.
    pub fn parse(name: &str, text: &str, environment: &dyn Environment) -> Result<Self, FileError> {
        let mut loaded = load::load(name, text, environment);
        let settings = match (loaded.file, loaded.findings.is_empty()) {
            (Some(file), _) => Some(check::check(&file, &mut loaded.findings)),
            (None, _) => None,
        };
        match settings {
            Some(settings) if loaded.findings.is_empty() => Ok(settings),
            _ => Err(loaded.findings.into_error(&loaded.sources)),
        }
    }
}
