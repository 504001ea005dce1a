//! The open connections to an upstream, of one worker.

use std::rc::Rc;
use std::time::Duration;

use hyper::client::conn::{http1, http2};
use tokio::sync::Mutex;

use super::connector::{self, ConnectError};
use super::direct::Connection;
use super::shelf::Shelf;
use super::{Target, Upstream};
use crate::gateway::body::RequestBody;

/// The open connections to an upstream, of one worker.
pub(super) struct Pool {
    connect_timeout: Duration,
    direct: Shelf<Box<Connection>>,
    http1: Shelf<http1::SendRequest<RequestBody>>,
    http2: Mutex<Option<http2::SendRequest<RequestBody>>>,
}

impl Pool {
    pub(super) fn new(connect_timeout: Duration) -> Self {
        Self {
            connect_timeout,
            direct: Shelf::default(),
            http1: Shelf::default(),
            http2: Mutex::new(None),
        }
    }

    /// An idle connection for requests without a body.
    pub(super) fn idle_direct(&self) -> Option<Box<Connection>> {
        self.direct.take(|connection| connection.is_idle())
    }

    /// An idle connection for any request.
    pub(super) fn idle_http1(&self) -> Option<http1::SendRequest<RequestBody>> {
        self.http1.take(http1::SendRequest::is_ready)
    }

    /// Takes a connection back, unless something of its last answer is left.
    pub(super) fn give_back_direct(&self, connection: Box<Connection>) {
        if connection.is_done() {
            self.direct.keep(connection);
        }
    }

    /// Takes a connection back. One that is not done yet (it still sends the rest of a request
    /// that was answered early) is waited for.
    pub(super) fn give_back_http1(
        upstream: &Rc<Upstream>,
        mut sender: http1::SendRequest<RequestBody>,
    ) {
        if sender.is_ready() {
            upstream.pool.http1.keep(sender);
        } else if !sender.is_closed() {
            let upstream = Rc::clone(upstream);
            tokio::task::spawn_local(async move {
                if sender.ready().await.is_ok() {
                    upstream.pool.http1.keep(sender);
                }
            });
        }
    }

    /// Closes what has been idle for long, or was closed by the upstream.
    pub(super) fn sweep(&self) {
        self.direct.sweep(|connection| connection.is_idle());
        self.http1.sweep(http1::SendRequest::is_ready);
    }

    pub(super) async fn connect_direct(
        &self,
        target: &Target,
    ) -> Result<Box<Connection>, ConnectError> {
        connector::direct(target, self.connect_timeout).await
    }

    pub(super) async fn connect_http1(
        &self,
        target: &Target,
    ) -> Result<http1::SendRequest<RequestBody>, ConnectError> {
        connector::http1(target, self.connect_timeout).await
    }

    /// The one HTTP/2 connection, opened when there is none.
    pub(super) async fn http2(
        &self,
        target: &Target,
    ) -> Result<http2::SendRequest<RequestBody>, ConnectError> {
        let mut shared = self.http2.lock().await;
        if let Some(sender) = shared.as_ref().filter(|sender| !sender.is_closed()) {
            return Ok(sender.clone());
        }
        let sender = connector::http2(target, self.connect_timeout).await?;
        *shared = Some(sender.clone());
        Ok(sender)
    }
}
