//! The thread that serves connections, so that they belong to no caller's executor.

use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::OpenError;

/// A thread with an executor, which ends when this is dropped. What is asked over the connections
/// that it serves can be awaited on any executor.
#[derive(Debug)]
pub struct Thread {
    handle: Handle,
    _stop: oneshot::Sender<()>,
}

impl Thread {
    /// Starts a thread of this name.
    ///
    /// # Errors
    /// When the machine has no thread left, or nothing to wait for connections with.
    pub fn start(name: &str) -> Result<Self, OpenError> {
        let failed = |error: std::io::Error| OpenError::Thread(error.to_string());
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let _ = runtime.block_on(stopped);
            })
            .map_err(failed)?;
        Ok(Self {
            handle,
            _stop: stop,
        })
    }

    /// A future that gives up after a while. It can be awaited on any executor.
    #[cfg(any(feature = "sqlite", feature = "postgres", feature = "memcached"))]
    pub fn within<F: Future>(
        &self,
        longest: std::time::Duration,
        work: F,
    ) -> impl Future<Output = Option<F::Output>> {
        // The timer belongs to this thread.
        let timed = {
            let _entered = self.handle.enter();
            tokio::time::timeout(longest, work)
        };
        async { timed.await.ok() }
    }

    /// A pause. It can be awaited on any executor.
    #[cfg(any(feature = "sqlite", feature = "postgres", feature = "memcached"))]
    pub fn pause(&self, span: std::time::Duration) -> impl Future<Output = ()> + use<> {
        let _entered = self.handle.enter();
        tokio::time::sleep(span)
    }

    /// Its executor.
    pub const fn handle(&self) -> &Handle {
        &self.handle
    }
}
