//! The body of an upstream's answer.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use thiserror::Error;

use super::Lease;
use super::direct::{Connection, DirectError};

/// The body of an upstream's answer; its connection is used again when all has come.
pub(in crate::gateway) struct UpstreamBody {
    /// Where it comes from; `None` only when it is gone.
    source: Option<Source>,
    lease: Lease,
}

pub(super) enum Source {
    Hyper(Incoming),
    Direct(Box<Connection>),
}

/// Why a body broke off.
#[derive(Debug, Error)]
pub(in crate::gateway) enum BodyError {
    #[error(transparent)]
    Hyper(#[from] hyper::Error),
    #[error(transparent)]
    Direct(#[from] DirectError),
}

impl UpstreamBody {
    pub(super) const fn new(source: Source, lease: Lease) -> Self {
        let source = Some(source);
        Self { source, lease }
    }
}

impl Body for UpstreamBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut self.source {
            None => Poll::Ready(None),
            Some(Source::Direct(connection)) => connection.poll_frame(cx).map_err(Into::into),
            Some(Source::Hyper(incoming)) => {
                let frame = ready!(Pin::new(incoming).poll_frame(cx));
                if frame.is_none() {
                    self.lease.give_back();
                }
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            None => true,
            Some(Source::Hyper(incoming)) => incoming.is_end_stream(),
            Some(Source::Direct(connection)) => connection.has_ended(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            None => SizeHint::with_exact(0),
            Some(Source::Hyper(incoming)) => incoming.size_hint(),
            Some(Source::Direct(connection)) => connection.size_hint(),
        }
    }
}

impl Drop for UpstreamBody {
    fn drop(&mut self) {
        match self.source.take() {
            Some(Source::Direct(connection)) => self.lease.give_back_direct(connection),
            Some(Source::Hyper(incoming)) if incoming.is_end_stream() => self.lease.give_back(),
            _ => {}
        }
    }
}
