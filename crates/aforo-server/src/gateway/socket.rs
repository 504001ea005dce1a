//! A client's socket, plain or TLS, that tells what it does.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::activity::Activity;
use super::caps::Place;

/// A client's socket. Lives on inside an upgraded connection, and its place among the open
/// connections with it.
pub(super) struct Socket {
    wire: Wire,
    prefix: Bytes,
    activity: Arc<Activity>,
    _place: Place,
}

/// What the bytes travel over.
pub(super) enum Wire {
    Plain(TokioIo<TcpStream>),
    Tls(Box<TokioIo<TlsStream<TcpStream>>>),
}

impl Socket {
    /// `prefix` was read from the wire already, to learn the protocol.
    pub(super) const fn new(
        wire: Wire,
        prefix: Bytes,
        activity: Arc<Activity>,
        place: Place,
    ) -> Self {
        Self {
            wire,
            prefix,
            activity,
            _place: place,
        }
    }

    fn wrote<T>(&self, polled: Poll<T>) -> Poll<T> {
        match polled {
            Poll::Pending => self.activity.stalls(),
            Poll::Ready(_) => self.activity.flows(),
        }
        polled
    }
}

impl Read for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.prefix.is_empty() {
            let length = this.prefix.len().min(buf.remaining());
            buf.put_slice(&this.prefix.split_to(length));
            return Poll::Ready(Ok(()));
        }
        let polled = match &mut this.wire {
            Wire::Plain(io) => Pin::new(io).poll_read(cx, buf),
            Wire::Tls(io) => Pin::new(io.as_mut()).poll_read(cx, buf),
        };
        if polled.is_ready() {
            this.activity.bytes_came();
        }
        polled
    }
}

impl Write for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let polled = match &mut this.wire {
            Wire::Plain(io) => Pin::new(io).poll_write(cx, buf),
            Wire::Tls(io) => Pin::new(io.as_mut()).poll_write(cx, buf),
        };
        this.wrote(polled)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let polled = match &mut this.wire {
            Wire::Plain(io) => Pin::new(io).poll_write_vectored(cx, bufs),
            Wire::Tls(io) => Pin::new(io.as_mut()).poll_write_vectored(cx, bufs),
        };
        this.wrote(polled)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.wire {
            Wire::Plain(io) => io.is_write_vectored(),
            Wire::Tls(io) => io.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().wire {
            Wire::Plain(io) => Pin::new(io).poll_flush(cx),
            Wire::Tls(io) => Pin::new(io.as_mut()).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().wire {
            Wire::Plain(io) => Pin::new(io).poll_shutdown(cx),
            Wire::Tls(io) => Pin::new(io.as_mut()).poll_shutdown(cx),
        }
    }
}
