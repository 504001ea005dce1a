//! The bodies that pass through the gateway, frame by frame.

use std::cell::Cell;
use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use aforo::Replayed;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::time::Instant;

use super::activity::{Activity, Exchange};
use super::upstream::{BodyError, UpstreamBody};

/// The body of a response.
pub(super) struct GatewayBody {
    source: Source,
    exchange: Option<Exchange>,
}

enum Source {
    Answer(Full<Bytes>),
    Upstream(UpstreamBody),
}

impl GatewayBody {
    /// A body that is here.
    pub(super) fn answer(bytes: impl Into<Full<Bytes>>) -> Self {
        Self {
            source: Source::Answer(bytes.into()),
            exchange: None,
        }
    }

    /// No body.
    pub(super) fn empty() -> Self {
        Self::answer(Full::default())
    }

    /// A body that streams from an upstream.
    pub(super) const fn upstream(body: UpstreamBody) -> Self {
        Self {
            source: Source::Upstream(body),
            exchange: None,
        }
    }

    /// Keeps the exchange open until the body is gone.
    pub(super) fn within(mut self, exchange: Exchange) -> Self {
        self.exchange = Some(exchange);
        self
    }
}

impl Body for GatewayBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut self.source {
            Source::Answer(full) => Pin::new(full)
                .poll_frame(cx)
                .map_err(|never: Infallible| match never {}),
            Source::Upstream(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            Source::Answer(full) => full.is_end_stream(),
            Source::Upstream(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            Source::Answer(full) => full.size_hint(),
            Source::Upstream(body) => body.size_hint(),
        }
    }
}

/// The body of a request on its way upstream.
pub(super) enum RequestBody {
    /// There is none.
    Empty,
    /// It streams from the client.
    Client(ClientBody),
}

/// A body that streams from the client, and tells when it last moved.
pub(super) struct ClientBody {
    body: Replayed<Incoming>,
    activity: Arc<Activity>,
    moved: Moved,
}

/// When a request's body last moved: the response may take its time from there.
pub(super) type Moved = Rc<Cell<Instant>>;

impl RequestBody {
    /// The client's body; with it, when there is one, the place that tells when it last moved.
    pub(super) fn of(body: Replayed<Incoming>, activity: &Arc<Activity>) -> (Self, Option<Moved>) {
        if body.is_end_stream() {
            return (Self::Empty, None);
        }
        let moved = Rc::new(Cell::new(Instant::now()));
        let client = ClientBody {
            body,
            activity: Arc::clone(activity),
            moved: Rc::clone(&moved),
        };
        (Self::Client(client), Some(moved))
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Self::Client(client) = self.get_mut() else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(&mut client.body).poll_frame(cx);
        if polled.is_pending() {
            client.activity.stalls();
        } else {
            client.activity.flows();
            client.moved.set(Instant::now());
            if client.body.is_end_stream() {
                client.activity.body_came();
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Client(client) => client.body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
            Self::Client(client) => client.body.size_hint(),
        }
    }
}

impl Drop for ClientBody {
    fn drop(&mut self) {
        self.activity.flows();
        self.moved.set(Instant::now());
    }
}
