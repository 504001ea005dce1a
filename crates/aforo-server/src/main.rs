//! The `aforo` program: a gateway that keeps an API's callers within their limits.

mod check;
mod cli;
mod consumer;
mod decide;
mod file;
mod gateway;
mod import;
mod lint;
mod log;
mod overview;
mod run;
mod schema;
mod signals;
mod tls;
mod workers;

use std::process::ExitCode;

use cli::Command;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = match cli::read() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    if let Err(error) = log::start(&cli.log, cli.format) {
        eprintln!(
            "--log {:?}: {error}; expected a level such as info",
            cli.log
        );
        return ExitCode::from(2);
    }
    match cli.command {
        Command::Run(command) => run::run(&command),
        Command::Check(command) => check::check(&command, cli.format),
        Command::Import(command) => import::import(&command),
        Command::Schema => schema::schema(),
        Command::Consumer(command) => consumer::consumer(&command, cli.format),
    }
}
