//! A client's socket, plain or TLS, that tells what it does.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::ReadBuf;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::activity::Activity;
use super::caps::Place;
use super::protocol::Version;

/// A client's socket. Lives on inside an upgraded connection, and its place among the open
/// connections with it.
pub(super) struct Socket {
    wire: Wire,
    prefix: Bytes,
    activity: Arc<Activity>,
    looks_for_end: bool,
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
        version: Version,
        activity: Arc<Activity>,
        place: Place,
    ) -> Self {
        Self {
            looks_for_end: matches!((&wire, version), (Wire::Plain(_), Version::Http1)),
            wire,
            prefix,
            activity,
            _place: place,
        }
    }

    /// Whether it tells by itself when the client leaves while it waits for its answer.
    pub(super) const fn looks_for_end(&self) -> bool {
        self.looks_for_end
    }

    /// An error when the client has left while it waits for its answer. hyper would read on to
    /// learn that, into another buffer for every request.
    fn still_there(&self, cx: &mut Context<'_>) -> io::Result<()> {
        let Wire::Plain(io) = &self.wire else {
            return Ok(());
        };
        if !self.looks_for_end || !self.activity.only_waits() {
            return Ok(());
        }
        // Asks the kernel only when something has come.
        match io.inner().poll_peek(cx, &mut ReadBuf::new(&mut [0])) {
            Poll::Ready(Ok(0)) => Err(io::ErrorKind::UnexpectedEof.into()),
            Poll::Ready(Err(error)) => Err(error),
            Poll::Ready(Ok(_)) | Poll::Pending => Ok(()),
        }
    }

    fn wrote<T>(&self, cx: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_pending() {
            self.activity.stalls();
            self.still_there(cx)?;
        } else {
            self.activity.flows();
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
        this.wrote(cx, polled)
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
        this.wrote(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        match &self.wire {
            Wire::Plain(io) => io.is_write_vectored(),
            Wire::Tls(io) => io.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper flushes whenever it has nothing else to do.
        self.still_there(cx)?;
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
