//! One connection to an upstream, driven by whoever uses it.

use std::future::{Future, poll_fn};
use std::io;
use std::mem;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http::{Request, Response, StatusCode};
use http_body::{Frame, SizeHint};
use tokio::io::{AsyncReadExt, AsyncWrite};
use tokio::net::TcpStream;

use super::field_names::FieldNames;
use super::framing::{Framing, Step};
use super::{DirectError, request_head, response_head};

/// How many bytes are read at once at first.
const FIRST_READ: usize = 8 * 1024;
/// How many at most, when there is always more.
const LARGEST_READ: usize = 64 * 1024;
/// The longest head of an answer.
const LONGEST_HEAD: usize = 256 * 1024;

/// One connection to an upstream, driven by whoever uses it.
pub(in crate::gateway::upstream) struct Connection {
    stream: TcpStream,
    /// What came and was not taken yet.
    unread: BytesMut,
    /// How many bytes are read at once.
    read_size: usize,
    /// A head on its way.
    head: Vec<u8>,
    /// The names of the last answers' fields.
    names: FieldNames,
    /// Where the body of the present answer ends.
    framing: Framing,
    /// Why the present answer broke off.
    broken: Option<DirectError>,
    /// Whether a byte of the present answer came.
    is_answering: bool,
    /// Whether another request may follow the present one.
    keeps_alive: bool,
}

impl Connection {
    pub(in crate::gateway::upstream) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            unread: BytesMut::new(),
            read_size: FIRST_READ,
            head: Vec::new(),
            names: FieldNames::default(),
            framing: Framing::Ended,
            broken: None,
            is_answering: false,
            keeps_alive: true,
        }
    }

    /// Whether the last answer was taken whole and left nothing behind.
    pub(in crate::gateway::upstream) fn is_done(&self) -> bool {
        self.keeps_alive && self.framing.has_ended() && self.unread.is_empty()
    }

    /// Whether it is open and silent. Whatever an upstream says unasked would be taken for the
    /// next answer. Asks the kernel only when something has come.
    pub(in crate::gateway::upstream) fn is_idle(&self) -> bool {
        let read = self.stream.try_read(&mut [0]);
        read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Whether a byte of the present answer came: until then, the upstream may just have been
    /// closing the connection.
    pub(in crate::gateway::upstream) const fn is_answering(&self) -> bool {
        self.is_answering
    }

    /// Sends a request without a body and waits for the head of the answer. The request stays
    /// whole until there is one; then its fields are gone. `lines` are fields beside its own.
    pub(in crate::gateway::upstream) async fn exchange<B>(
        &mut self,
        request: &mut Request<B>,
        lines: &[u8],
    ) -> Result<Response<()>, DirectError> {
        self.is_answering = false;
        self.keeps_alive = false;
        self.read_size = FIRST_READ;
        self.head.clear();
        request_head::write(request, lines, &mut self.head);
        let mut sent = 0;
        poll_fn(|cx| self.poll_send(cx, &mut sent)).await?;
        let mut searched = 0;
        loop {
            if let Some(length) = response_head::length_of_head(&self.unread, searched) {
                searched = 0;
                if let Some(response) = self.answered(length, request)? {
                    return Ok(response);
                }
                continue;
            }
            searched = self.unread.len();
            if searched > LONGEST_HEAD {
                return Err(DirectError::Malformed("its head is too long"));
            }
            if poll_fn(|cx| self.poll_more(cx)).await? == 0 {
                return Err(DirectError::Ended);
            }
        }
    }

    /// The answer whose head are the first `length` bytes; `None` when it is not the last one.
    fn answered<B>(
        &mut self,
        length: usize,
        request: &mut Request<B>,
    ) -> Result<Option<Response<()>>, DirectError> {
        let head = self.unread.split_to(length).freeze();
        let mut headers = mem::take(request.headers_mut());
        headers.clear();
        let response = response_head::parse(&head, headers, &mut self.names)?;
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            return Err(DirectError::Malformed("it changes protocols unasked"));
        }
        if response.status().is_informational() {
            return Ok(None);
        }
        self.framing = Framing::of(request.method(), &response)?;
        self.keeps_alive = response_head::keeps_alive(&response);
        Ok(Some(response))
    }

    /// The next part of the body. Why it breaks off is told one poll later: what came before goes
    /// out first, where an error would throw it away with the client's connection.
    pub(in crate::gateway::upstream) fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, DirectError>>> {
        if let Some(error) = self.broken.take() {
            return Poll::Ready(Some(Err(error)));
        }
        match ready!(self.poll_step(cx)) {
            Ok(frame) => Poll::Ready(frame.map(Ok)),
            Err(error) => {
                self.broken = Some(error);
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }

    fn poll_step(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<Frame<Bytes>>, DirectError>> {
        loop {
            match self.framing.next(&mut self.unread)? {
                Step::Frame(frame) => return Poll::Ready(Ok(Some(frame))),
                Step::End => return Poll::Ready(Ok(None)),
                Step::More => {}
            }
            if ready!(self.poll_more(cx))? == 0 {
                self.framing.close()?;
            }
        }
    }

    /// Whether the whole body was taken.
    pub(in crate::gateway::upstream) const fn has_ended(&self) -> bool {
        self.framing.has_ended()
    }

    /// How much of the body is left.
    pub(in crate::gateway::upstream) fn size_hint(&self) -> SizeHint {
        self.framing.size_hint()
    }

    fn poll_send(&mut self, cx: &mut Context<'_>, sent: &mut usize) -> Poll<io::Result<()>> {
        while let Some(rest) = self.head.get(*sent..).filter(|rest| !rest.is_empty()) {
            let written = ready!(Pin::new(&mut self.stream).poll_write(cx, rest))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            *sent = sent.saturating_add(written);
        }
        Poll::Ready(Ok(()))
    }

    /// Reads more; how many bytes came, 0 at the end.
    fn poll_more(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.unread.reserve(self.read_size);
        let reading = pin!(self.stream.read_buf(&mut self.unread));
        let read = ready!(reading.poll(cx))?;
        if read >= self.read_size {
            self.read_size = self.read_size.saturating_mul(2).min(LARGEST_READ);
        }
        self.is_answering |= read > 0;
        Poll::Ready(Ok(read))
    }
}
