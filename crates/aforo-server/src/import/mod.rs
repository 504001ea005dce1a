//! `aforo import`: an aforo file that decides as another limiter's configuration does.

mod envoy;
mod limitador;
mod selector;
mod written;

#[cfg(test)]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "an independent model in plain numbers"
)]
mod tests;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use thiserror::Error;

use crate::cli::{Import, ImportKind};
use written::Written;

/// Everything was carried over, but for what was told.
const TOLD: u8 = 1;
/// Nothing was written.
const INVALID: u8 = 2;

/// Why nothing was written.
#[derive(Debug, Error)]
enum ImportError {
    /// A file.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What it says.
    #[error("{path}: {source}")]
    Yaml {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: yaml_serde::Error,
    },
    /// Where the result is to go.
    #[error("cannot write {path}: {source}")]
    Unwritable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Writes an aforo file; what has no equivalent is a comment in it, and told.
pub(crate) fn import(import: &Import) -> ExitCode {
    match imported(import)
        .and_then(|written| put(&written, import.output.as_deref()).map(|()| written))
    {
        Ok(written) => {
            let lacking = written.lacking();
            for line in lacking {
                eprintln!("no equivalent: {line}");
            }
            ExitCode::from(if lacking.is_empty() { 0 } else { TOLD })
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(INVALID)
        }
    }
}

fn imported(import: &Import) -> Result<Written, ImportError> {
    let mut texts = Vec::new();
    for path in &import.files {
        let text = std::fs::read_to_string(path).map_err(|source| ImportError::Unreadable {
            path: path.clone(),
            source,
        })?;
        texts.push((path.clone(), text));
    }
    let mut written = Written::default();
    match import.kind {
        ImportKind::EnvoyRatelimit => {
            for (path, text) in texts {
                let yaml = |source| ImportError::Yaml { path, source };
                envoy::import(&text, &mut written).map_err(yaml)?;
            }
        }
        ImportKind::Limitador => {
            let mut limits = Vec::new();
            for (path, text) in texts {
                let yaml = |source| ImportError::Yaml { path, source };
                limits.extend(limitador::read(&text).map_err(yaml)?);
            }
            limitador::import(&limits, &mut written);
        }
    }
    Ok(written)
}

fn put(written: &Written, output: Option<&Path>) -> Result<(), ImportError> {
    let text = written.text();
    let Some(path) = output else {
        let path = PathBuf::from("standard output");
        return io::stdout()
            .write_all(text.as_bytes())
            .map_err(|source| ImportError::Unwritable { path, source });
    };
    std::fs::write(path, text).map_err(|source| ImportError::Unwritable {
        path: path.to_owned(),
        source,
    })
}
