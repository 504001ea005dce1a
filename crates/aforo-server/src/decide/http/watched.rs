//! A client's socket that notes what its client is doing.

use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use super::super::pulse::{Doing, Pulse};

/// A client's socket that notes what its client is doing.
pub(super) struct Watched<S> {
    io: TokioIo<S>,
    /// What was read already, to learn the protocol.
    prefix: Bytes,
    pulse: Rc<Pulse>,
    /// Whether bytes outside a question begin the next one (HTTP/1.1).
    begins_questions: bool,
}

impl<S> Watched<S> {
    pub(super) fn new(stream: S, prefix: Bytes, pulse: Rc<Pulse>, begins_questions: bool) -> Self {
        Self {
            io: TokioIo::new(stream),
            prefix,
            pulse,
            begins_questions,
        }
    }

    fn came(&self) {
        match self.pulse.doing() {
            Doing::Idle if self.begins_questions => self.pulse.set(Doing::Sending),
            Doing::Idle => self.pulse.set(Doing::Idle),
            Doing::Sending | Doing::Waiting | Doing::Stalled => {}
        }
    }

    fn wrote<T>(&self, polled: Poll<T>) -> Poll<T> {
        match (polled.is_pending(), self.pulse.doing()) {
            (true, doing) if doing != Doing::Waiting => self.pulse.keep(Doing::Stalled),
            (false, Doing::Stalled) => self.pulse.set(Doing::Idle),
            _ => {}
        }
        polled
    }
}

impl<S: AsyncRead + Unpin> Read for Watched<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.prefix.is_empty() {
            let length = this.prefix.len().min(buf.remaining());
            buf.put_slice(&this.prefix.split_to(length));
            this.came();
            return Poll::Ready(Ok(()));
        }
        let polled = Pin::new(&mut this.io).poll_read(cx, buf);
        if polled.is_ready() {
            this.came();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> Write for Watched<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.io).poll_write(cx, buf);
        this.wrote(polled)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.io).poll_write_vectored(cx, bufs);
        this.wrote(polled)
    }

    fn is_write_vectored(&self) -> bool {
        Write::is_write_vectored(&self.io)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(cx)
    }
}
