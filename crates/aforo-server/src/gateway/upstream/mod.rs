//! What stands behind the gateway: each worker has its own view of it, so that no request waits
//! for a lock.

mod balancer;
mod connector;
mod health;
mod pool;
mod target;

use std::cell::Cell;
use std::rc::Rc;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};

use super::body::RequestBody;
use connector::ConnectError;
use health::Health;
use pool::Pool;

pub(super) use balancer::{Balancer, Tried};
pub(crate) use target::TargetError;
pub(super) use target::{Protocol, Target};

/// One upstream as a worker sees it.
pub(super) struct Upstream {
    target: Target,
    health: Health,
    pool: Pool,
    outstanding: Cell<usize>,
}

/// A connection to an upstream, lent to one request.
pub(super) struct Lease {
    upstream: Rc<Upstream>,
    sender: Option<Sender>,
    /// Whether it served others before: the upstream may just be closing it.
    reused: bool,
}

/// The sending half of a connection.
enum Sender {
    Http1(http1::SendRequest<RequestBody>),
    Http2(http2::SendRequest<RequestBody>),
}

/// Why a request got no response head.
pub(super) enum SendError {
    /// Not a byte of it was sent; here it is again.
    Unsent(Box<Request<RequestBody>>),
    /// Part of it may have arrived.
    Broken(hyper::Error),
}

impl Upstream {
    pub(super) fn new(target: Target, connect_timeout: std::time::Duration) -> Rc<Self> {
        Rc::new(Self {
            pool: Pool::new(connect_timeout),
            target,
            health: Health::default(),
            outstanding: Cell::new(0),
        })
    }

    pub(super) const fn target(&self) -> &Target {
        &self.target
    }

    pub(super) const fn health(&self) -> &Health {
        &self.health
    }

    /// A connection for one request: an idle one, or else a new one.
    pub(super) async fn lease(
        self: &Rc<Self>,
        protocol: Protocol,
        fresh: bool,
    ) -> Result<Lease, ConnectError> {
        let mut lease = Lease::new(Rc::clone(self));
        match protocol {
            Protocol::Http1 => {
                let idle = if fresh { None } else { self.pool.idle() };
                if let Some(sender) = idle {
                    lease.reused = true;
                    lease.sender = Some(Sender::Http1(sender));
                } else {
                    // Boxed: rare, and too large to be carried along by every request.
                    let sender = Box::pin(self.pool.connect_http1(&self.target)).await?;
                    lease.sender = Some(Sender::Http1(sender));
                }
            }
            Protocol::Http2 => {
                let sender = Box::pin(self.pool.http2(&self.target)).await?;
                lease.sender = Some(Sender::Http2(sender));
            }
        }
        Ok(lease)
    }
}

impl Lease {
    fn new(upstream: Rc<Upstream>) -> Self {
        let outstanding = upstream.outstanding.get().saturating_add(1);
        upstream.outstanding.set(outstanding);
        Self {
            upstream,
            sender: None,
            reused: false,
        }
    }

    /// Whether it served others before: the upstream may just be closing it.
    pub(super) const fn is_reused(&self) -> bool {
        self.reused
    }

    /// Sends the request and waits for the response's head.
    pub(super) async fn send(
        &mut self,
        request: Request<RequestBody>,
    ) -> Result<Response<Incoming>, SendError> {
        let sent = match &mut self.sender {
            Some(Sender::Http1(sender)) => sender.try_send_request(request).await,
            Some(Sender::Http2(sender)) => sender.try_send_request(request).await,
            None => return Err(SendError::Unsent(Box::new(request))),
        };
        sent.map_err(|mut error| match error.take_message() {
            Some(request) => SendError::Unsent(Box::new(request)),
            None => SendError::Broken(error.into_error()),
        })
    }

    /// The whole response has come: the connection may serve another request.
    pub(super) fn give_back(&mut self) {
        if let Some(Sender::Http1(sender)) = self.sender.take() {
            Pool::give_back(&self.upstream, sender);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let outstanding = self.upstream.outstanding.get().saturating_sub(1);
        self.upstream.outstanding.set(outstanding);
    }
}
