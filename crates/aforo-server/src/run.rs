//! `aforo run`: starts what the file has, until a signal.

use std::process::ExitCode;
use std::time::Duration;

use aforo::registry::Registry;
use aforo::store::StoreError;
use aforo::{BuildError, Limiter, StoreState};
use aforo_policy::{Place, Settings, StoreUrl};
use thiserror::Error;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{error, info, warn};

use crate::cli::Run;
use crate::decide::{self, Decide};
use crate::file::{self, Invalid};
use crate::gateway::{Gateway, StartError};
use crate::signals::SignalLog;
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
    #[error("there is nothing to run: the file has neither [gateway] nor [decide]")]
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
    /// The gateway's listener.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A listener of the decision service.
    #[error(transparent)]
    Decide(#[from] decide::StartError),
    /// Signals cannot be waited for.
    #[error("cannot wait for signals: {0}")]
    Signals(std::io::Error),
}

impl RunError {
    /// 2: what was given is invalid; 1: it cannot be done now.
    const fn code(&self) -> u8 {
        match self {
            Self::Invalid(_) | Self::Nothing => 2,
            Self::Limiter(_)
            | Self::HashKeyDiffers { .. }
            | Self::Start(_)
            | Self::Decide(_)
            | Self::Signals(_) => 1,
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
    let (gateway, decide) = (settings.gateway.clone(), settings.decide.clone());
    if gateway.is_none() && decide.is_none() {
        return Err(RunError::Nothing);
    }
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
        .observer(SignalLog)
        .build()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(RunError::Signals)?;
    runtime.block_on(async {
        let mut signals = Signals::new().map_err(RunError::Signals)?;
        ask_stores(&limiter).await?;
        if let Some(registry) = &identity.registry {
            look_into(registry).await;
        }
        let decide = decide
            .map(|decide| Decide::start(&decide, &identity, &limiter))
            .transpose()?;
        let gateway = gateway
            .map(|gateway| Gateway::start(&gateway, &identity, limiter))
            .transpose()?;
        let services = Services { gateway, decide };
        Ok(until_stopped(services, &mut signals).await)
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

/// Warns of a registry without consumers: whoever has a key is then a stranger. One that is down is
/// told of when it is asked for a key.
async fn look_into(url: &StoreUrl) {
    let Ok(registry) = Registry::open(url, MOST_ASKING) else {
        return;
    };
    if let Ok(false) = registry.has_consumers().await {
        warn!(
            registry = %url,
            "the registry has no consumers: every API key that is not in the file is a stranger's. \
             `aforo consumer create` makes one"
        );
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

/// What runs.
struct Services {
    gateway: Option<Gateway>,
    decide: Option<Decide>,
}

impl Services {
    /// Says where it listens.
    fn introduce(&self) {
        if let Some(gateway) = &self.gateway {
            let address = gateway.address();
            info!(%address, "listening");
        }
        for (service, address) in self.decide.iter().flat_map(Decide::addresses) {
            info!(service = service.name(), %address, "listening");
        }
    }

    /// Waits until all workers have ended.
    async fn ended(&mut self) {
        if let Some(gateway) = &mut self.gateway {
            gateway.workers.ended().await;
        }
        if let Some(decide) = &mut self.decide {
            decide.workers.ended().await;
        }
    }

    /// Stops accepting connections.
    fn drain(&self) {
        self.gateway.iter().for_each(|one| one.workers.drain());
        self.decide.iter().for_each(|one| one.workers.drain());
    }

    /// After the end: whether everything in flight finished in time.
    fn all_finished(self) -> bool {
        let gateway = self.gateway.is_none_or(|one| one.workers.all_finished());
        let decide = self.decide.is_none_or(|one| one.workers.all_finished());
        gateway && decide
    }
}

/// Whether everything in flight finished.
async fn until_stopped(mut services: Services, signals: &mut Signals) -> bool {
    services.introduce();
    tokio::select! {
        () = signals.next() => {}
        () = services.ended() => {
            error!("every worker has ended");
            return false;
        }
    }
    info!("stopping: open requests may finish; a second signal ends at once");
    services.drain();
    tokio::select! {
        () = services.ended() => {}
        () = signals.next() => return false,
    }
    let all_finished = services.all_finished();
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
