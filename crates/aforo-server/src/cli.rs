//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use aforo::registry::without_api_keys;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::consumer::Consumer;

const EXIT_CODES_OF_RUN: &str = "\
Example:
  aforo run aforo.toml
  aforo run --upstream http://127.0.0.1:3000 --limit \"60/minute burst 10\"

SIGTERM and SIGINT let open requests finish within drain_timeout; a second one ends at once.

Exit codes: 0 stopped and everything in flight finished; 1 could not start (an address is taken, a
certificate cannot be read), or something was cut off at the end; 2 the file or the command line is
invalid.";

const EXIT_CODES_OF_CHECK: &str = "\
Example:
  aforo check aforo.toml
  aforo check aforo.toml --format json

Exit codes: 0 clean; 1 valid, with findings; 2 invalid or unreadable.";

const EXAMPLE_OF_IMPORT: &str = "\
Example:
  aforo import envoy-ratelimit config/*.yaml -o aforo.toml
  aforo import limitador limits.yaml > aforo.toml

What has no equivalent is told on standard error and stands as a comment in the file.

Exit codes: 0 everything has an equivalent; 1 written, but something has none; 2 nothing is written.";

const EXAMPLE_OF_SCHEMA: &str = "\
Example:
  aforo schema > aforo.schema.json

Exit codes: 0 printed; 1 not printed (standard output is closed).";

/// Keeps an API's callers within their limits.
#[derive(Debug, Parser)]
#[command(name = "aforo", version, propagate_version = true)]
#[command(
    after_help = "Example:\n  aforo run --upstream http://127.0.0.1:3000 --limit \"60/minute\""
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// What is logged to standard error: a level (error, warn, info, debug, trace, off) or
    /// directives of tracing (`info,hyper=debug`)
    #[arg(long, global = true, env = "AFORO_LOG", default_value = "info")]
    #[arg(value_name = "LEVEL")]
    pub(crate) log: String,

    /// How output is written; for `run`, the log
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// The command line; the exit code when it is wrong or only asks for help.
pub(crate) fn read() -> Result<Cli, ExitCode> {
    let error = match Cli::try_parse() {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    let told = error.to_string();
    let harmless = without_api_keys(&told);
    if harmless == told {
        error.exit();
    }
    // An API key where none belongs is not repeated.
    eprint!("{harmless}");
    Err(ExitCode::from(2))
}

/// For whom output is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the gateway of a file, or one made of two options
    #[command(after_help = EXIT_CODES_OF_RUN)]
    Run(Run),
    /// Validate a file, and show its quotas in words
    #[command(after_help = EXIT_CODES_OF_CHECK)]
    Check(Check),
    /// Write an aforo file from another limiter's configuration
    #[command(after_help = EXAMPLE_OF_IMPORT)]
    Import(Import),
    /// Print the JSON schema of the aforo file, for editors
    #[command(after_help = EXAMPLE_OF_SCHEMA)]
    Schema,
    /// The registry: consumers, their plans, API keys and negotiated quotas
    #[command(after_help = Consumer::EXIT_CODES)]
    Consumer(Consumer),
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    /// The aforo file
    #[arg(required_unless_present = "upstream", conflicts_with_all = ["upstream", "limit", "listen"])]
    pub(crate) file: Option<PathBuf>,

    /// Without a file: what stands behind the gateway, http://host:port, h2c://host:port or
    /// builtin:echo; several are balanced
    #[arg(long, value_name = "URL", requires = "limit")]
    pub(crate) upstream: Vec<String>,

    /// Without a file: a quota for each client address, "60/minute burst 10"; several all apply
    #[arg(long, value_name = "QUOTA", requires = "upstream")]
    pub(crate) limit: Vec<String>,

    /// Without a file: where to listen
    #[arg(long, value_name = "ADDRESS", requires = "upstream")]
    pub(crate) listen: Option<SocketAddr>,
}

#[derive(Args, Debug)]
pub(crate) struct Import {
    /// Whose configuration it is
    #[arg(value_enum)]
    pub(crate) kind: ImportKind,

    /// Its files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Where to write the aforo file; without it to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Whose configuration is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportKind {
    /// envoyproxy/ratelimit: one YAML file for each domain
    EnvoyRatelimit,
    /// Kuadrant's Limitador: a YAML list of limits
    Limitador,
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The aforo file
    pub(crate) file: PathBuf,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        let mut cli = Cli::command();
        assert!(cli.render_long_help().to_string().contains("Example:"));
        let all = cli.get_subcommands_mut();
        for command in all.filter(|command| command.get_name() != "help") {
            let help = command.render_long_help().to_string();
            assert!(help.contains("Example:"), "{}", command.get_name());
        }
    }

    #[test]
    fn run_takes_a_file_or_both_an_upstream_and_a_limit() {
        let run = |arguments: &[&str]| Cli::try_parse_from([&["aforo", "run"], arguments].concat());
        assert!(run(&["aforo.toml"]).is_ok());
        assert!(run(&["--upstream", "http://a", "--limit", "1/s"]).is_ok());
        assert!(run(&[]).is_err());
        assert!(run(&["--upstream", "http://a"]).is_err());
        assert!(run(&["--limit", "1/s"]).is_err());
        assert!(run(&["aforo.toml", "--limit", "1/s"]).is_err());
    }
}
