//! `aforo schema`: the JSON schema of the file.

use std::io::{self, Write};
use std::process::ExitCode;

/// Prints the schema.
pub(crate) fn schema() -> ExitCode {
    match writeln!(io::stdout(), "{:#}", aforo_policy::file::schema()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_closed) => ExitCode::FAILURE,
    }
}
