//! The way of one request: edge, facts, caller, charges, decision.

mod body;
mod door;
mod entry;
mod facts;
mod judge;
mod stopped;
mod target;
mod verdict;

use std::net::SocketAddr;

use ::http::Request;
use ::http::request::Parts;
use aforo_core::Span;
use bytes::Bytes;
use http_body::Body;

use crate::http::denial::Refused;
use crate::taking::{How, Judgement};
use crate::{Admission, Limiter, Replayed};
use body::BodyError;
pub(crate) use entry::Entry;
use judge::{Asking, Front};
use stopped::Stopped;

/// A request on its way.
pub(crate) enum Entered<B> {
    /// It was decided at once.
    Done(Admission<B>),
    /// Its body has to be read, or a store has to be waited for.
    Waits(Waiting<B>),
}

/// A request that has to wait for its body or a store.
pub(crate) struct Waiting<B> {
    entry: Box<Entry>,
    parts: Parts,
    body: B,
    needs_body: bool,
}

/// Takes a request in; most are decided here.
pub(crate) fn enter<B>(
    limiter: &Limiter,
    request: Request<B>,
    peer: Option<SocketAddr>,
) -> Entered<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    let (parts, body) = request.into_parts();
    let mut entry = Entry::new(limiter, &parts, peer);
    Entered::Done(match entry.front(&parts) {
        Front::Judged(judgement) => entry.conclude(parts, Replayed::untouched(body), judgement),
        Front::Uncounted => entry.pass(parts, Replayed::untouched(body), Span::ZERO),
        Front::Stopped(stopped) => Admission::Answer(entry.answer(&parts, &stopped.as_refused())),
        Front::Waits { needs_body } => {
            return Entered::Waits(Waiting {
                entry,
                parts,
                body,
                needs_body,
            });
        }
    })
}

impl<B> Waiting<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    /// The rest of the way.
    pub(crate) async fn go_on(self) -> Admission<B> {
        let Self {
            mut entry,
            parts,
            body,
            needs_body,
        } = self;
        if !needs_body {
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
