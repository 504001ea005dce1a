//! The thread that serves an instance's connection, so that it belongs to no caller's executor.

use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::OpenError;

/// A thread with an executor, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Thread {
    handle: Handle,
    _stop: oneshot::Sender<()>,
}

impl Thread {
    pub(super) fn start() -> Result<Self, OpenError> {
        let failed = |error: std::io::Error| OpenError::Thread(error.to_string());
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        thread::Builder::new()
            .name("aforo-redis".to_owned())
            .spawn(move || {
                let _ = runtime.block_on(stopped);
            })
            .map_err(failed)?;
        Ok(Self {
            handle,
            _stop: stop,
        })
    }

    pub(super) const fn handle(&self) -> &Handle {
        &self.handle
    }
}
