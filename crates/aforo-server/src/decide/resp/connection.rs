//! One client connection.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};

use super::super::pulse::{Doing, Pulse};
use super::asking::{Asking, MOST_ASKED};
use super::desk::Desk;
use super::session::{Flow, Session};
use super::wire::{Command, Parsed, parse};

/// The most bytes of answers before they are sent, however much was asked.
const MAX_ANSWERS: usize = 256 * 1024;
/// How much is still read of a client whose connection ends, so that it sees why.
const LINGER: usize = 1024 * 1024;

/// One client connection.
struct Connection<S> {
    stream: S,
    desk: Rc<Desk>,
    pulse: Rc<Pulse>,
    session: Session,
    /// What was read and not served yet.
    pending: Vec<u8>,
    /// What was answered and not sent yet.
    unsent: Vec<u8>,
    /// What waits for a store, and where its answers belong.
    asking: Asking,
}

/// What a connection does next.
enum Next {
    /// It reads.
    Read,
    /// There may be more commands in what was read.
    Serve,
    /// It waits for a store, as many questions as may be asked at once.
    Ask,
    /// It ends, and its client is told.
    Close,
    /// Its client has left.
    Ended,
}

/// Serves a client until its connection ends.
pub(in crate::decide) async fn serve<S>(
    stream: S,
    desk: Rc<Desk>,
    pulse: Rc<Pulse>,
) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut connection = Connection {
        stream,
        desk,
        pulse,
        session: Session::default(),
        pending: Vec::new(),
        unsent: Vec::new(),
        asking: Asking::default(),
    };
    let mut next = Next::Read;
    loop {
        next = match next {
            Next::Read => {
                connection.ask().await;
                connection.send().await?;
                poll_fn(|cx| connection.poll_served(cx)).await?
            }
            Next::Serve => {
                if connection.unsent.len() > MAX_ANSWERS {
                    connection.ask().await;
                    connection.send().await?;
                }
                connection.serve_pending()
            }
            Next::Ask => {
                connection.ask().await;
                Next::Serve
            }
            // In a box, since its room would be held by every connection.
            Next::Close => return Box::pin(connection.close()).await,
            Next::Ended => return Ok(()),
        };
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Reads once, serves all that was read, and sends the answers in one write.
    fn poll_served(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Next>> {
        let desk = Rc::clone(&self.desk);
        let mut input = desk.input.borrow_mut();
        let mut read = ReadBuf::new(&mut input);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut read))?;
        if read.filled().is_empty() {
            return Poll::Ready(Ok(Next::Ended));
        }
        if !self.pending.is_empty() {
            self.pending.extend_from_slice(read.filled());
            return Poll::Ready(Ok(Next::Serve));
        }
        let mut output = desk.output.borrow_mut();
        let (used, next) = serve_all(
            &mut self.session,
            &desk,
            read.filled(),
            &mut output,
            &mut self.asking,
        );
        let left = read.filled().get(used..).unwrap_or_default();
        self.pending.extend_from_slice(left);
        self.note(used);
        if self.asking.is_empty() {
            self.write_now(cx, &output)?;
        } else {
            self.unsent.extend_from_slice(&output);
        }
        output.clear();
        output.shrink_to(MAX_ANSWERS);
        Poll::Ready(Ok(next))
    }

    /// Sends what can be sent at once; the rest is kept.
    fn write_now(&mut self, cx: &mut Context<'_>, output: &[u8]) -> io::Result<()> {
        if output.is_empty() {
            return Ok(());
        }
        let sent = match Pin::new(&mut self.stream).poll_write(cx, output) {
            Poll::Ready(sent) => sent?,
            Poll::Pending => 0,
        };
        let left = output.get(sent..).unwrap_or_default();
        self.unsent.extend_from_slice(left);
        Ok(())
    }

    /// Serves what was read before.
    fn serve_pending(&mut self) -> Next {
        let mut pending = std::mem::take(&mut self.pending);
        let (used, next) = serve_all(
            &mut self.session,
            &self.desk,
            &pending,
            &mut self.unsent,
            &mut self.asking,
        );
        if used < pending.len() {
            pending.drain(..used);
            self.pending = pending;
        }
        self.note(used);
        next
    }

    /// Notes what the client is doing: a question that has begun has to end in time.
    fn note(&self, used: usize) {
        match (self.pending.is_empty(), used) {
            (true, _) => self.pulse.set(Doing::Idle),
            (false, 0) => self.pulse.keep(Doing::Sending),
            (false, _) => self.pulse.set(Doing::Sending),
        }
    }

    /// Asks all that waits, and puts the answers where they belong.
    async fn ask(&mut self) {
        if self.asking.is_empty() {
            return;
        }
        let before = self.pulse.doing();
        self.pulse.set(Doing::Waiting);
        let written = std::mem::take(&mut self.unsent);
        let asking = std::mem::take(&mut self.asking);
        self.unsent = asking.answered(&self.desk.limiter, written).await;
        self.pulse.set(before);
    }

    /// Sends what is left to send.
    async fn send(&mut self) -> io::Result<()> {
        if self.unsent.is_empty() {
            return Ok(());
        }
        let before = self.pulse.doing();
        self.pulse.set(Doing::Stalled);
        self.stream.write_all(&self.unsent).await?;
        self.stream.flush().await?;
        self.unsent = Vec::new();
        self.pulse.set(before);
        Ok(())
    }

    /// Ends the connection. What the client has sent meanwhile is read, since closing a socket with
    /// unread bytes takes the answers back.
    async fn close(&mut self) -> io::Result<()> {
        self.ask().await;
        self.send().await?;
        self.pulse.set(Doing::Sending);
        self.stream.shutdown().await?;
        let mut left = LINGER;
        let mut rest = [0; 1024];
        while left > 0 {
            match self.stream.read(&mut rest).await? {
                0 => break,
                read => left = left.saturating_sub(read),
            }
        }
        Ok(())
    }
}

/// Serves the commands that `input` begins with; how many bytes they took.
fn serve_all(
    session: &mut Session,
    desk: &Desk,
    input: &[u8],
    out: &mut Vec<u8>,
    asking: &mut Asking,
) -> (usize, Next) {
    let mut used: usize = 0;
    let mut command = Command::default();
    loop {
        let ahead = input.get(used..).unwrap_or_default();
        match parse(ahead, &mut command) {
            Parsed::Incomplete => return (used, Next::Read),
            Parsed::Broken(broken) => {
                session.broken(broken, out);
                return (used, Next::Close);
            }
            Parsed::Command(more) => {
                used = used.saturating_add(more);
                match session.run(&command, desk, out) {
                    Flow::On if out.len() > MAX_ANSWERS => return (used, Next::Serve),
                    Flow::On => {}
                    Flow::Ask(question) => {
                        asking.push(out.len(), session.resp3(), question);
                        if asking.count() >= MOST_ASKED {
                            return (used, Next::Ask);
                        }
                    }
                    Flow::Close => return (used, Next::Close),
                }
            }
        }
    }
}
