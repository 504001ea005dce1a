//! Threads that serve, one per core.

use std::io;
use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, watch};

/// Threads that serve, each with a runtime of its own, so that they meet nowhere but in the limiter.
pub(crate) struct Workers {
    stop: watch::Sender<bool>,
    ended: mpsc::UnboundedReceiver<()>,
    threads: Vec<JoinHandle<io::Result<bool>>>,
}

impl Workers {
    /// How many there are to be: one per core.
    pub(crate) fn per_core() -> usize {
        thread::available_parallelism().map_or(1, usize::from)
    }

    /// Starts a thread for each share of the sockets. What `serve` makes runs there until it is told
    /// to stop, and says whether everything in flight finished in time.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub(crate) fn start<S, F>(
        name: &str,
        shares: Vec<S>,
        serve: impl Fn(S, watch::Receiver<bool>) -> F + Clone + Send + 'static,
    ) -> io::Result<Self>
    where
        S: Send + 'static,
        F: Future<Output = io::Result<bool>>,
    {
        let (stop, stopped) = watch::channel(false);
        let (ending, ended) = mpsc::unbounded_channel();
        let mut threads = Vec::with_capacity(shares.len());
        for (number, share) in shares.into_iter().enumerate() {
            let (serve, stopped, ending) = (serve.clone(), stopped.clone(), ending.clone());
            let thread = thread::Builder::new().name(format!("{name}-{number}"));
            threads.push(thread.spawn(move || {
                let _until_the_end = ending;
                on_own_runtime(async { serve(share, stopped).await })
            })?);
        }
        Ok(Self {
            stop,
            ended,
            threads,
        })
    }

    /// Stops accepting connections and lets those that are open finish what they do.
    pub(crate) fn drain(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until every one has ended.
    pub(crate) async fn ended(&mut self) {
        while self.ended.recv().await.is_some() {}
    }

    /// After the end: whether everything in flight finished in time.
    pub(crate) fn all_finished(self) -> bool {
        let mut ends = self.threads.into_iter().map(JoinHandle::join);
        ends.all(|end| matches!(end, Ok(Ok(true))))
    }
}

fn on_own_runtime(work: impl Future<Output = io::Result<bool>>) -> io::Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build_local(tokio::runtime::LocalOptions::default())?;
    let finished = runtime.block_on(work);
    runtime.shutdown_background();
    finished
}
