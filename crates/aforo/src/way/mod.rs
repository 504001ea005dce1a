//! The way of one request: edge, facts, caller, charges, decision.

mod body;
mod entry;
mod facts;
mod judge;
mod verdict;

use std::net::SocketAddr;

use ::http::Request;
use ::http::request::Parts;
use bytes::Bytes;
use http_body::Body;

use crate::at_once::at_once;
use crate::http::denial::Refused;
use crate::taking::How;
use crate::{Admission, Limiter, Replayed};
use body::BodyError;
pub(crate) use entry::Entry;
use entry::Front;
use judge::Asking;

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
    let needs_body = match entry.front(&parts) {
        Front::Answer(refused) => {
            return Entered::Done(Admission::Answer(
                entry.answer(&parts, &refused.as_refused()),
            ));
        }
        Front::Pass => {
            return Entered::Done(entry.pass_uncounted(parts, Replayed::untouched(body)));
        }
        Front::Behind { needs_body } => needs_body,
    };
    if needs_body || !entry.setup.immediate {
        return Entered::Waits(Waiting {
            entry,
            parts,
            body,
            needs_body,
        });
    }
    match at_once(entry.judge(&parts, Asking::Without, How::Take)) {
        Some(judged) => Entered::Done(entry.conclude(parts, Replayed::untouched(body), judged)),
        None => Entered::Waits(Waiting {
            entry,
            parts,
            body,
            needs_body,
        }),
    }
}

impl<B> Waiting<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    /// The rest of the way.
    pub(crate) async fn go_on(self) -> Admission<B> {
        let Self {
            entry,
            parts,
            body,
            needs_body,
        } = self;
        if !needs_body {
            let judged = entry.judge(&parts, Asking::Without, How::Take).await;
            return entry.conclude(parts, Replayed::untouched(body), judged);
        }
        if facts::expects_continue(&parts.headers) {
            let looked = entry.judge(&parts, Asking::BeforeBody, How::Look).await;
            if looked.as_ref().map_or(true, |taking| taking.is_denied()) {
                return entry.conclude(parts, Replayed::untouched(body), looked);
            }
        }
        let most = entry.most_body();
        match body::read(body, most).await {
            Ok(read) => {
                let judged = entry
                    .judge(&parts, Asking::With(&read.bytes), How::Take)
                    .await;
                entry.conclude(parts, read.replayed(), judged)
            }
            Err(BodyError::TooLarge) => {
                Admission::Answer(entry.answer(&parts, &Refused::BodyTooLarge { most }))
            }
            Err(BodyError::Broken) => Admission::Answer(entry.broken_body()),
        }
    }
}
