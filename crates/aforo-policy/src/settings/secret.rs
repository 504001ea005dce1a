//! Secrets, which are never in the file itself.

use std::path::PathBuf;

/// Where a secret is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Secret {
    /// In an environment variable of this name.
    Variable(String),
    /// In a file.
    File(PathBuf),
}
