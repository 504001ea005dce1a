//! A connection to an upstream, lent to one request.

use std::rc::Rc;

use http::{Request, Response};
use hyper::client::conn::{http1, http2};

use super::body::{BodyError, Source, UpstreamBody};
use super::connector::ConnectError;
use super::direct::{Connection, DirectError};
use super::pool::Pool;
use super::{Protocol, Upstream};
use crate::gateway::body::RequestBody;

/// A connection to an upstream, lent to one request.
pub(in crate::gateway) struct Lease {
    upstream: Rc<Upstream>,
    sender: Option<Sender>,
    /// Whether it served others before: the upstream may just be closing it.
    reused: bool,
}

/// By which way a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gateway) enum Way {
    /// HTTP/1.1 without a task in between: requests without a body that ask for nothing special.
    Direct,
    /// HTTP/1.1 through hyper.
    Http1,
    /// HTTP/2 through hyper.
    Http2,
}

/// The sending half of a connection.
enum Sender {
    Direct(Box<Connection>),
    Http1(http1::SendRequest<RequestBody>),
    Http2(http2::SendRequest<RequestBody>),
}

/// Why a request got no response head.
pub(in crate::gateway) enum SendError {
    /// Not a byte of it was sent; here it is again.
    Unsent(Box<Request<RequestBody>>),
    /// It may have arrived, but not a byte of an answer came; a request that was lent is whole.
    Unanswered(BodyError),
    /// Part of it may have arrived.
    Broken(BodyError),
}

impl Way {
    /// The protocol that is spoken.
    pub(in crate::gateway) const fn protocol(self) -> Protocol {
        match self {
            Self::Direct | Self::Http1 => Protocol::Http1,
            Self::Http2 => Protocol::Http2,
        }
    }
}

impl Upstream {
    /// A connection for one request: an idle one, or else (always, when it is to be `fresh`) a
    /// new one.
    pub(in crate::gateway) async fn lease(
        self: &Rc<Self>,
        way: Way,
        fresh: bool,
    ) -> Result<Lease, ConnectError> {
        let mut lease = Lease::new(Rc::clone(self));
        let idle = match way {
            _ if fresh => None,
            Way::Direct => self.pool.idle_direct().map(Sender::Direct),
            Way::Http1 => self.pool.idle_http1().map(Sender::Http1),
            Way::Http2 => None,
        };
        lease.reused = idle.is_some();
        lease.sender = match idle {
            Some(sender) => Some(sender),
            // Boxed: rare, and too large to be carried along by every request.
            None => Some(Box::pin(self.connect(way)).await?),
        };
        Ok(lease)
    }

    async fn connect(&self, way: Way) -> Result<Sender, ConnectError> {
        Ok(match way {
            Way::Direct => Sender::Direct(self.pool.connect_direct(&self.target).await?),
            Way::Http1 => Sender::Http1(self.pool.connect_http1(&self.target).await?),
            Way::Http2 => Sender::Http2(self.pool.http2(&self.target).await?),
        })
    }
}

impl Lease {
    pub(super) fn new(upstream: Rc<Upstream>) -> Self {
        let outstanding = upstream.outstanding.get().saturating_add(1);
        upstream.outstanding.set(outstanding);
        Self {
            upstream,
            sender: None,
            reused: false,
        }
    }

    /// Whether it served others before: the upstream may just be closing it.
    pub(in crate::gateway) const fn is_reused(&self) -> bool {
        self.reused
    }

    /// Sends the request through hyper and waits for the response's head.
    pub(in crate::gateway) async fn send(
        mut self,
        request: Request<RequestBody>,
    ) -> Result<Response<UpstreamBody>, SendError> {
        let sent = match &mut self.sender {
            Some(Sender::Http1(sender)) => sender.try_send_request(request).await,
            Some(Sender::Http2(sender)) => sender.try_send_request(request).await,
            _ => return Err(SendError::Unsent(Box::new(request))),
        };
        match sent {
            Ok(response) => {
                Ok(response.map(|incoming| UpstreamBody::new(Source::Hyper(incoming), self)))
            }
            Err(mut error) => Err(match error.take_message() {
                Some(request) => SendError::Unsent(Box::new(request)),
                None => SendError::Broken(error.into_error().into()),
            }),
        }
    }

    /// Sends a request without a body directly, and waits for the response's head. The request is
    /// lent only: it stays whole unless an answer came. `lines` are fields that are sent with it.
    pub(in crate::gateway) async fn send_direct(
        mut self,
        request: &mut Request<RequestBody>,
        lines: &[u8],
    ) -> Result<Response<UpstreamBody>, SendError> {
        let Some(Sender::Direct(mut connection)) = self.sender.take() else {
            return Err(SendError::Unanswered(DirectError::Ended.into()));
        };
        match connection.exchange(request, lines).await {
            Ok(response) => {
                Ok(response.map(|()| UpstreamBody::new(Source::Direct(connection), self)))
            }
            Err(error) if connection.is_answering() => Err(SendError::Broken(error.into())),
            Err(error) => Err(SendError::Unanswered(error.into())),
        }
    }

    /// The whole response has come: the connection may serve another request.
    pub(super) fn give_back(&mut self) {
        if let Some(Sender::Http1(sender)) = self.sender.take() {
            Pool::give_back_http1(&self.upstream, sender);
        }
    }

    /// The same for a connection that its body held.
    pub(super) fn give_back_direct(&self, connection: Box<Connection>) {
        self.upstream.pool.give_back_direct(connection);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let outstanding = self.upstream.outstanding.get().saturating_sub(1);
        self.upstream.outstanding.set(outstanding);
    }
}
