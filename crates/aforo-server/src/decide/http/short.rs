//! The short way of a question on HTTP/1.1: answered from the bytes that came.
//!
//! Most clients ask one question after the other, each in one piece, and what hyper does for a
//! request and its answer costs more than the decision. What is anything else, or wrong, goes to
//! hyper with all its bytes; nothing has been taken for it then.

use std::future::poll_fn;
use std::io;
use std::rc::Rc;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::super::pulse::Doing;
use super::connection::Questions;
use super::deciding::{Decided, How};
use super::desk::Desk;
use super::guard;
use super::head::{self, Begins, Whole};
use super::problem::Problem;
use super::wire::{Asked, read};

/// The most bytes of a question that is answered here.
const MOST: usize = 16 * 1024;
/// The most bytes of answers before they are sent, however much was asked.
const MOST_UNSENT: usize = 64 * 1024;
/// In how many pieces a question may come; for the rest of another, hyper waits.
const MOST_PIECES: u32 = 2;

/// What follows from the bytes that came.
enum Next {
    /// So many of them are answered.
    Answered(usize),
    /// There are to be more.
    Read,
    /// They are hyper's.
    Leave,
}

/// Answers questions as long as they are such; the bytes that begin something else, or `None` when
/// the client has left.
pub(super) async fn answer<S>(
    stream: &mut S,
    begun: Bytes,
    desk: &Desk,
    questions: &Rc<Questions>,
) -> io::Result<Option<Bytes>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut unread, mut unsent) = (Vec::from(begun), Vec::new());
    let mut pieces = 1_u32;
    loop {
        let may_wait = unread.len() < MOST && pieces < MOST_PIECES;
        match next(desk, questions, &unread, may_wait, &mut unsent).await {
            Next::Answered(used) if used < unread.len() => {
                unread.drain(..used);
                pieces = 1;
                if unsent.len() > MOST_UNSENT {
                    send(stream, &mut unsent, questions).await?;
                }
            }
            Next::Answered(_) => {
                unread = Vec::new();
                pieces = 0;
                send(stream, &mut unsent, questions).await?;
            }
            Next::Read => {
                send(stream, &mut unsent, questions).await?;
                if !unread.is_empty() {
                    questions.pulse.keep(Doing::Sending);
                }
                let came = poll_fn(|cx| desk.pen.poll_read(stream, &mut unread, cx)).await?;
                if came == 0 {
                    return Ok(None);
                }
                questions.pulse.keep(Doing::Sending);
                pieces = pieces.saturating_add(1);
            }
            Next::Leave => {
                send(stream, &mut unsent, questions).await?;
                return Ok(Some(unread.into()));
            }
        }
    }
}

async fn next(
    desk: &Desk,
    questions: &Rc<Questions>,
    unread: &[u8],
    may_wait: bool,
    unsent: &mut Vec<u8>,
) -> Next {
    let question = match head::read(unread) {
        Begins::Question(question) => question,
        Begins::Part if may_wait => return Next::Read,
        Begins::Part | Begins::Other => return Next::Leave,
    };
    let _answering = questions.answering();
    match decided(desk, &question).await {
        Some(Ok(decided)) => desk.pen.write(&decided, unsent),
        // Hyper would have it decided once more.
        Some(Err(problem)) => desk.pen.write_problem(problem, unsent),
        None => return Next::Leave,
    }
    Next::Answered(question.length)
}

/// The decision over one question; `None`, and nobody was asked, where there is anything to say
/// about it but that.
async fn decided(desk: &Desk, question: &Whole<'_>) -> Option<Result<Decided, Problem>> {
    let how = match question.path {
        "/v1/decide" => How::Take,
        "/v1/peek" => How::Look,
        _ => return None,
    };
    desk.check_host(question.host.map(guard::without_port))
        .ok()?;
    desk.check_token(question.authorization).ok()?;
    guard::check_media_type(question.media_type).ok()?;
    let Ok(Asked::One(asked)) = read(question.body) else {
        return None;
    };
    let ready = desk.ready(*asked, how).ok()?;
    Some(desk.decide(ready, how).await)
}

/// Sends what was answered.
async fn send<S: AsyncWrite + Unpin>(
    stream: &mut S,
    unsent: &mut Vec<u8>,
    questions: &Questions,
) -> io::Result<()> {
    if unsent.is_empty() {
        return Ok(());
    }
    questions.pulse.set(Doing::Stalled);
    stream.write_all(unsent).await?;
    stream.flush().await?;
    questions.pulse.set(Doing::Idle);
    *unsent = Vec::new();
    Ok(())
}
