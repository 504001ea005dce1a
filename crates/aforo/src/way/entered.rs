//! A request that was taken in, and the rest of its way where it has to wait.

use std::net::SocketAddr;

use ::http::Response;
use ::http::request::Parts;
use aforo_core::Span;
use bytes::Bytes;
use http_body::Body;

use super::body::{self, BodyError};
use super::judge::{Asking, Front, Waits};
use super::verdict::Fate;
use super::{Entry, facts};
use crate::http::denial::Refused;
use crate::taking::{How, Judgement};
use crate::{Admission, AnswerBody, Limiter, Passage, Replayed};

/// What became of a request that was taken in by its head.
#[allow(
    clippy::large_enum_variant,
    reason = "a box would cost every request that is answered"
)]
pub enum Entered {
    /// It goes on, with its canonical path; after [`Passage::delay`], if there is one.
    Passes(Passage),
    /// It is answered at once.
    Answered(Response<AnswerBody>),
    /// Its consumer has to be asked for, its body to be read, or a store to be waited for.
    Waits(Waiting),
}

/// A request that has to wait for whoever knows its consumer, its body, or a store. Dropped, it
/// gives back what it took.
pub struct Waiting {
    entry: Box<Entry>,
    waits: Waits,
}

/// Takes a request in; most are decided here.
#[inline]
pub(crate) fn enter(limiter: &Limiter, parts: &mut Parts, peer: Option<SocketAddr>) -> Entered {
    let mut entry = Entry::new(limiter, parts, peer);
    match entry.front(parts) {
        Front::Judged(judgement) => entry.conclude(parts, judgement).into(),
        Front::Uncounted => Entered::Passes(entry.pass(parts, Span::ZERO)),
        Front::Stopped(stopped) => Entered::Answered(entry.answer(parts, &stopped.as_refused())),
        Front::Waits(waits) => Entered::Waits(Waiting { entry, waits }),
    }
}

impl From<Fate> for Entered {
    fn from(fate: Fate) -> Self {
        match fate {
            Fate::Passes(passage) => Self::Passes(passage),
            Fate::Answered(response) => Self::Answered(response),
        }
    }
}

impl Waiting {
    /// The rest of the way of the request whose head it was.
    pub async fn go_on<B>(self, parts: Parts, body: B) -> Admission<B>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let Self { mut entry, waits } = self;
        let waits = match waits {
            Waits::Identity => match entry.find_out(&parts).await {
                Ok(waits) => waits,
                Err(stopped) => return entry.end(parts, Replayed::untouched(body), Err(stopped)),
            },
            waits => waits,
        };
        if waits == Waits::OwnUse {
            return Admission::Answer(entry.own_use(&parts).await);
        }
        if waits != Waits::Body {
            let judged = entry.judge(&parts, Asking::Without, How::Take).await;
            return entry.end(parts, Replayed::untouched(body), judged);
        }
        if facts::expects_continue(&parts.headers) {
            let before = entry.lines.len();
            let looked = entry.judge(&parts, Asking::BeforeBody, How::Look).await;
            if !matches!(looked, Ok(Judgement::Pass(_))) {
                return entry.end(parts, Replayed::untouched(body), looked);
            }
            entry.lines.truncate(before);
        }
        let most = entry.door.most_body();
        match body::read(body, most).await {
            Ok(read) => {
                let judged = entry
                    .judge(&parts, Asking::With(&read.bytes), How::Take)
                    .await;
                entry.end(parts, read.replayed(), judged)
            }
            Err(BodyError::TooLarge) => {
                Admission::Answer(entry.answer(&parts, &Refused::BodyTooLarge { most }))
            }
            Err(BodyError::Broken) => Admission::Answer(entry.broken_body()),
        }
    }
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting")
            .field("waits", &self.waits)
            .finish_non_exhaustive()
    }
}
