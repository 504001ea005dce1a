//! `aforo consumer`: the registry of consumers, their plans, API keys and negotiated quotas.

mod api_key;
mod audit;
mod create;
mod failure;
mod list;
mod negotiated;
mod place;
mod plan;
mod report;
mod session;
mod show;
mod team;
mod when;

use std::io::{self, Write};
use std::process::ExitCode;

use aforo::registry::without_api_keys;
use clap::{Args, Subcommand};

use crate::cli::Format;
use failure::Failure;
use place::Place;
use report::Report;
use session::Session;

const EXIT_CODES: &str = "\
Example:
  aforo consumer create acme --plan pro --contact ops@acme.example --file aforo.toml
  aforo consumer issue-key acme --label ci --registry sqlite:consumers.db

The registry is a SQLite file or a PostgreSQL database. Where it is comes from --registry, the
variable AFORO_REGISTRY, or `registry` in [identity] of --file, in this order. With --file, plans,
teams and policies have to be those of the file.

Exit codes: 0 done; 1 not done (there is no such consumer or API key, or there is one already);
2 the command line or the file is invalid; 3 the registry cannot be reached.";

#[derive(Args, Debug)]
pub(crate) struct Consumer {
    #[command(flatten)]
    place: Place,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create a consumer
    #[command(after_help = create::EXAMPLE)]
    Create(create::Create),
    /// List consumers
    #[command(after_help = list::EXAMPLE)]
    List(list::List),
    /// Show a consumer with its API keys and overrides
    #[command(after_help = show::EXAMPLE)]
    Show(show::Show),
    /// Give a consumer a plan
    #[command(after_help = plan::EXAMPLE)]
    SetPlan(plan::SetPlan),
    /// Put a consumer into a team or an organisation
    #[command(after_help = team::EXAMPLE)]
    SetTeam(team::SetTeam),
    /// Give a consumer another quota of a policy, for a while or for good
    #[command(after_help = negotiated::EXAMPLE)]
    Override(negotiated::Override),
    /// Issue an API key, which is shown once
    #[command(after_help = api_key::ISSUE)]
    IssueKey(api_key::Issue),
    /// Revoke an API key
    #[command(after_help = api_key::REVOKE)]
    RevokeKey(api_key::Revoke),
    /// Issue a new API key in the place of another one, which is accepted for a grace yet
    #[command(after_help = api_key::ROTATE)]
    RotateKey(api_key::Rotate),
    /// Show who changed what, when
    #[command(after_help = audit::EXAMPLE)]
    Audit(audit::Audit),
}

impl Consumer {
    pub(crate) const EXIT_CODES: &str = EXIT_CODES;
}

/// Does what the command says; the exit code.
pub(crate) fn consumer(consumer: &Consumer, format: Format) -> ExitCode {
    let report = match done(consumer) {
        Ok(report) => report,
        Err(failure) => {
            eprintln!("{}", without_api_keys(&failure.to_string()));
            return ExitCode::from(failure.code());
        }
    };
    match writeln!(io::stdout(), "{}", report.written(format)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_closed) => ExitCode::FAILURE,
    }
}

fn done(consumer: &Consumer) -> Result<Report, Failure> {
    let session = Session::open(&consumer.place)?;
    // One thread that waits: the registry has its own.
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(Failure::Runtime)?;
    runtime.block_on(async {
        match &consumer.command {
            Command::Create(create) => create.run(&session).await,
            Command::List(list) => list.run(&session).await,
            Command::Show(show) => show.run(&session).await,
            Command::SetPlan(set) => set.run(&session).await,
            Command::SetTeam(set) => set.run(&session).await,
            Command::Override(negotiated) => negotiated.run(&session).await,
            Command::IssueKey(issue) => issue.run(&session).await,
            Command::RevokeKey(revoke) => revoke.run(&session).await,
            Command::RotateKey(rotate) => rotate.run(&session).await,
            Command::Audit(audit) => audit.run(&session).await,
        }
    })
}
