//! Reading the file.

use std::path::Path;

use thiserror::Error;

use crate::Settings;

/// Every error of a file at once, each with file, line, column, a caret, what was found and what
/// was expected. `Display` is for people.
#[derive(Debug, Error)]
#[error("{}", self.render())]
pub struct FileError {
    findings: Vec<Finding>,
}

/// One error of a file.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl FileError {
    /// The errors, in the file's order.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    fn render(&self) -> String {
        todo!()
    }
}

/// What a file takes from its surroundings.
pub trait Environment {
    /// The value of an environment variable.
    fn variable(&self, name: &str) -> Option<String>;
    /// The text of another file, for `include` and secrets.
    fn read(&self, path: &Path) -> std::io::Result<String>;
}

impl Settings {
    /// Reads a file's text. `name` is shown in errors; includes are relative to its folder.
    ///
    /// # Errors
    /// Every error at once.
    pub fn parse(name: &str, text: &str, environment: &dyn Environment) -> Result<Self, FileError> {
        let _ = (name, text, environment);
        todo!()
    }
}
