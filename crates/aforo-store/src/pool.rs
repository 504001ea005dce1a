//! A few connections to a server.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::StoreError;

/// How long a connection may take to be made at most. Longer than a call: who asked first does
/// not wait that long, but the connection is there for those who ask next.
const CONNECTING: Duration = Duration::from_secs(5);

/// Keeps connections, at most so many. A connection that a call gave up on is closed, since
/// nobody knows what it would answer next.
#[derive(Debug)]
pub struct Pool<C> {
    permits: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<C>>>,
}

/// A connection in use. It is closed when it is dropped without [`Held::put_back`].
#[derive(Debug)]
pub struct Held<C> {
    /// The connection.
    pub connection: C,
    /// Whether it was used before: the server may have closed it since.
    pub used_before: bool,
    idle: Arc<Mutex<Vec<C>>>,
    // Last, so that the connection is closed before the next may be made.
    _permit: OwnedSemaphorePermit,
}

impl<C: Send + 'static> Pool<C> {
    /// A pool of at most so many connections; it has none yet.
    pub fn new(most: usize) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(most)),
            idle: Arc::default(),
        }
    }

    /// A connection: one that is idle, or a new one when all are in use and there may be more.
    ///
    /// # Errors
    /// What `connect` fails with; [`StoreError::Timeout`] when it takes longer than five seconds.
    pub async fn take<F, E>(&self, on: &Handle, connect: F) -> Result<Held<C>, E>
    where
        F: Future<Output = Result<C, E>> + Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let permits = Arc::clone(&self.permits);
        let permit = permits.acquire_owned().await.map_err(|_| closed())?;
        let idle = Arc::clone(&self.idle);
        let used = lock(&idle).pop();
        if let Some(connection) = used {
            return Ok(Held {
                connection,
                used_before: true,
                idle,
                _permit: permit,
            });
        }
        self.connect(on, permit, connect).await
    }

    /// Forgets all idle connections.
    pub fn clear(&self) {
        lock(&self.idle).clear();
    }

    /// Connects in a task of its own, which holds the permit, so that there are never more such
    /// tasks than connections allowed.
    async fn connect<F, E>(
        &self,
        on: &Handle,
        permit: OwnedSemaphorePermit,
        connect: F,
    ) -> Result<Held<C>, E>
    where
        F: Future<Output = Result<C, E>> + Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let idle = Arc::clone(&self.idle);
        let (tell, told) = oneshot::channel();
        on.spawn(async move {
            let connected = tokio::time::timeout(CONNECTING, connect).await;
            let connected = connected.unwrap_or_else(|_| Err(StoreError::Timeout.into()));
            let held = connected.map(|connection| Held {
                connection,
                used_before: false,
                idle,
                _permit: permit,
            });
            if let Err(Ok(held)) = tell.send(held) {
                held.put_back();
            }
        });
        told.await.unwrap_or_else(|_| Err(closed().into()))
    }
}

impl<C> Held<C> {
    /// Keeps the connection for the next call.
    pub fn put_back(self) {
        lock(&self.idle).push(self.connection);
    }
}

fn closed() -> StoreError {
    StoreError::Unavailable("the store is closed".to_owned())
}

fn lock<C>(idle: &Mutex<Vec<C>>) -> MutexGuard<'_, Vec<C>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}
