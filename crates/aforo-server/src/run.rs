//! `aforo run`: starts what the file has, until a signal.

use std::process::ExitCode;
use std::time::Duration;

use aforo::store::StoreError;
use aforo::{BuildError, Limiter, StoreState};
use aforo_policy::{Place, Settings};
use thiserror::Error;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{error, info, warn};

use crate::cli::Run;
use crate::file::{self, Invalid};
use crate::gateway::{Gateway, StartError};
use crate::{lint, overview};

/// How long the stores together hold the start: one that is down does not hinder it.
const MOST_ASKING: Duration = Duration::from_secs(1);

/// Why nothing runs.
#[derive(Debug, Error)]
enum RunError {
    /// The file, or what the command line says instead.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The file has nothing to start.
    #[error("there is nothing to run: the file has no [gateway]")]
    Nothing,
    /// A store.
    #[error(transparent)]
    Limiter(#[from] BuildError),
    /// A store counts with another hash key.
    #[error("store {store:?}: {}", StoreError::HashKeyDiffers)]
    HashKeyDiffers {
        /// Its name.
        store: String,
    },
    /// The listener.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Signals cannot be waited for.
    #[error("cannot wait for signals: {0}")]
    Signals(std::io::Error),
}

impl RunError {
    /// 2: what was given is invalid; 1: it cannot be done now.
    const fn code(&self) -> u8 {
        match self {
            Self::Invalid(_) | Self::Nothing => 2,
            Self::Limiter(_) | Self::HashKeyDiffers { .. } | Self::Start(_) | Self::Signals(_) => 1,
        }
    }
}

/// Runs until a signal; the exit code.
pub(crate) fn run(run: &Run) -> ExitCode {
    match started(run) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Errors of a file are several lines with carets: they are for people, not for a log.
            eprintln!("{error}");
            ExitCode::from(error.code())
        }
    }
}

fn started(run: &Run) -> Result<bool, RunError> {
    let settings = settings(run)?;
    let Some(gateway) = settings.gateway.clone() else {
        return Err(RunError::Nothing);
    };
    for line in overview::of(&settings) {
        info!("{line}");
    }
    for finding in lint::findings(&settings) {
        warn!("{finding}");
    }
    let identity = settings.identity.clone();
    let limiter = Limiter::builder()
        .settings(settings)
        .place(Place::Gateway)
        .build()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(RunError::Signals)?;
    runtime.block_on(async {
        let mut signals = Signals::new().map_err(RunError::Signals)?;
        ask_stores(&limiter).await?;
        let gateway = Gateway::start(&gateway, &identity, limiter)?;
        Ok(until_stopped(gateway, &mut signals).await)
    })
}

/// Asks every shared store once. One with another hash key is noticed here, where whoever starts
/// the program still looks.
async fn ask_stores(limiter: &Limiter) -> Result<(), RunError> {
    // Whatever did not answer by then is told of by the log when it fails.
    let _ = tokio::time::timeout(MOST_ASKING, limiter.ask_stores()).await;
    let differs = |state| state == StoreState::HashKeyDiffers;
    match limiter.stores().into_iter().find(|one| differs(one.state)) {
        Some(status) => Err(RunError::HashKeyDiffers { store: status.name }),
        None => Ok(()),
    }
}

fn settings(run: &Run) -> Result<Settings, Invalid> {
    match &run.file {
        Some(file) => file::read(file),
        None => {
            let listen = run.listen.map(|address| address.to_string());
            let listen = listen.as_deref().unwrap_or("127.0.0.1:8080");
            file::without_file(&run.upstream, &run.limit, listen)
        }
    }
}

/// Whether everything in flight finished.
async fn until_stopped(mut gateway: Gateway, signals: &mut Signals) -> bool {
    let address = gateway.address();
    info!(%address, "listening");
    tokio::select! {
        () = signals.next() => {}
        () = gateway.ended() => {
            error!("every worker has ended");
            return false;
        }
    }
    info!("stopping: open requests may finish; a second signal ends at once");
    gateway.drain();
    tokio::select! {
        () = gateway.ended() => {}
        () = signals.next() => return false,
    }
    let all_finished = gateway.all_finished();
    if !all_finished {
        warn!("some requests were cut off: they took longer than drain_timeout");
    }
    all_finished
}

/// SIGTERM and SIGINT.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
