//! One client connection: HTTP/1.1, or HTTP/2 from its first bytes.

use std::cell::Cell;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

use bytes::Bytes;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

use super::super::pulse::{Doing, Pulse};
use super::desk::Desk;
use super::exchange;
use super::short;
use super::watched::Watched;
use crate::gateway::LocalExecutor;

/// How an HTTP/2 client begins (RFC 9113, section 3.4), as far as no other request does.
const PREFACE: &[u8] = b"PRI ";
/// The most bytes of a body that are held at once.
const MAX_BUFFER: usize = 64 * 1024;
/// The most bytes of a request's head.
const MAX_HEAD: u32 = 32 * 1024;
/// HTTP/2: the most requests at once on one connection.
const MAX_STREAMS: u32 = 128;

/// A connection's questions that are being answered. While there are any, its client waits.
pub(super) struct Questions {
    pub(super) pulse: Rc<Pulse>,
    open: Cell<u32>,
}

/// Held while a question is being answered.
pub(super) struct Answering(Rc<Questions>);

impl Questions {
    /// A question has come as a whole.
    pub(super) fn answering(self: &Rc<Self>) -> Answering {
        self.open.set(self.open.get().saturating_add(1));
        self.pulse.set(Doing::Waiting);
        Answering(Rc::clone(self))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let left = self.0.open.get().saturating_sub(1);
        self.0.open.set(left);
        if left == 0 {
            self.0.pulse.set(Doing::Idle);
        }
    }
}

/// Serves a client until its connection ends.
pub(in crate::decide) async fn serve<S>(
    mut stream: S,
    peer: SocketAddr,
    desk: Rc<Desk>,
    pulse: Rc<Pulse>,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let Some((begun, is_http2)) = first_bytes(&mut stream, &pulse).await? else {
        return Ok(());
    };
    let questions = Rc::new(Questions {
        pulse,
        open: Cell::new(0),
    });
    let begun = match is_http2 {
        true => begun,
        false => match short::answer(&mut stream, begun, &desk, &questions).await? {
            Some(begun) => begun,
            None => return Ok(()),
        },
    };
    // In a box, since its room would be held by every connection.
    Box::pin(serve_any(stream, begun, is_http2, peer, desk, questions)).await
}

/// Serves a client, whatever it asks.
async fn serve_any<S>(
    stream: S,
    begun: Bytes,
    is_http2: bool,
    peer: SocketAddr,
    desk: Rc<Desk>,
    questions: Rc<Questions>,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
{
    let pulse = Rc::clone(&questions.pulse);
    let service = service_fn(move |request| {
        let (desk, questions) = (Rc::clone(&desk), Rc::clone(&questions));
        async move { Ok::<_, Infallible>(exchange::answer(&desk, peer, &questions, request).await) }
    });
    let socket = Watched::new(stream, begun, pulse, !is_http2);
    let ended = if is_http2 {
        http2::Builder::new(LocalExecutor)
            .max_concurrent_streams(MAX_STREAMS)
            .max_header_list_size(MAX_HEAD)
            .max_send_buf_size(MAX_BUFFER)
            .serve_connection(socket, service)
            .await
    } else {
        http1::Builder::new()
            .header_read_timeout(None)
            .half_close(true)
            .max_buf_size(MAX_BUFFER)
            .serve_connection(socket, service)
            .await
    };
    ended.map_err(io::Error::other)
}

/// What was read to learn the protocol, and whether it is HTTP/2; `None` when the client has left.
async fn first_bytes<S>(stream: &mut S, pulse: &Pulse) -> io::Result<Option<(Bytes, bool)>>
where
    S: AsyncRead + Unpin,
{
    let mut seen = [0; 512];
    let mut length: usize = 0;
    loop {
        let room = seen.get_mut(length..).unwrap_or_default();
        let read = stream.read(room).await?;
        if read == 0 {
            return Ok(None);
        }
        pulse.keep(Doing::Sending);
        length = length.saturating_add(read);
        let begun = seen.get(..length).unwrap_or_default();
        let is_http2 = begun.starts_with(PREFACE);
        if is_http2 || !PREFACE.starts_with(begun) {
            return Ok(Some((Bytes::copy_from_slice(begun), is_http2)));
        }
    }
}
