//! Logs: to standard error, for people or as JSON lines.

use std::io::{self, IsTerminal};
use std::panic;

use tracing::error;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use crate::cli::Format;

/// Starts logging.
///
/// # Errors
/// When `level` is neither a level nor a list of directives.
pub(crate) fn start(level: &str, format: Format) -> Result<(), ParseError> {
    let filter = EnvFilter::builder().parse(level)?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_target(false)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr);
    match format {
        Format::Text => log.init(),
        Format::Json => log.json().flatten_event(true).init(),
    }
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let message = panic.payload_as_str().unwrap_or("no message");
        error!(place = place.as_deref(), message, "a bug: please report it");
    }));
    Ok(())
}
