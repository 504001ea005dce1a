//! The aforo file that a command is given.

use std::io;
use std::path::{Path, PathBuf};

use aforo::ProcessEnvironment;
use aforo_policy::Settings;
use aforo_policy::file::FileError;
use thiserror::Error;

/// Why there are no settings.
#[derive(Debug, Error)]
pub(crate) enum Invalid {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It has errors.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Reads a file, or tells all of its errors.
pub(crate) fn read(path: &Path) -> Result<Settings, Invalid> {
    let text = std::fs::read_to_string(path).map_err(|source| {
        let path = path.to_owned();
        Invalid::Unreadable { path, source }
    })?;
    let name = path.display().to_string();
    Ok(Settings::parse(&name, &text, &ProcessEnvironment)?)
}

/// The settings of a gateway made on the command line: each client address has the quotas.
pub(crate) fn without_file(
    upstreams: &[String],
    limits: &[String],
    listen: &str,
) -> Result<Settings, Invalid> {
    let text = format!(
        "[gateway]\nlisten = {}\nupstream = {}\n\n[plans.anonymous]\npolicies = {}\n",
        serde_json::json!(listen),
        serde_json::json!(upstreams),
        serde_json::json!(limits),
    );
    Ok(Settings::parse("command line", &text, &ProcessEnvironment)?)
}
