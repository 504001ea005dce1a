//! The open connections to an upstream, of one worker.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use hyper::client::conn::{http1, http2};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::connector::{self, ConnectError};
use super::{Target, Upstream};
use crate::gateway::body::RequestBody;

/// The most connections that wait for their next request.
const MAX_IDLE: usize = 1024;
/// How long one waits at most.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// The open connections to an upstream, of one worker.
pub(super) struct Pool {
    connect_timeout: Duration,
    idle: RefCell<VecDeque<Idle>>,
    http2: Mutex<Option<http2::SendRequest<RequestBody>>>,
}

struct Idle {
    sender: http1::SendRequest<RequestBody>,
    since: Instant,
}

impl Pool {
    pub(super) fn new(connect_timeout: Duration) -> Self {
        Self {
            connect_timeout,
            idle: RefCell::default(),
            http2: Mutex::new(None),
        }
    }

    /// The connection that was used last, so that those too many grow old and go.
    pub(super) fn idle(&self) -> Option<http1::SendRequest<RequestBody>> {
        let mut idle = self.idle.borrow_mut();
        while let Some(Idle { sender, .. }) = idle.pop_back() {
            if sender.is_ready() {
                return Some(sender);
            }
        }
        None
    }

    /// Takes a connection back. One that is not done yet (it still sends the rest of a request
    /// that was answered early) is waited for.
    pub(super) fn give_back(upstream: &Rc<Upstream>, mut sender: http1::SendRequest<RequestBody>) {
        if sender.is_ready() {
            upstream.pool.keep(sender);
        } else if !sender.is_closed() {
            let upstream = Rc::clone(upstream);
            tokio::task::spawn_local(async move {
                if sender.ready().await.is_ok() {
                    upstream.pool.keep(sender);
                }
            });
        }
    }

    fn keep(&self, sender: http1::SendRequest<RequestBody>) {
        let since = Instant::now();
        let mut idle = self.idle.borrow_mut();
        let is_old = |oldest: &Idle| since.duration_since(oldest.since) > LONGEST_REST;
        while idle.len() >= MAX_IDLE || idle.front().is_some_and(is_old) {
            idle.pop_front();
        }
        idle.push_back(Idle { sender, since });
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
