//! The way of one request: edge, facts, caller, charges, decision.

mod body;
mod door;
mod entry;
mod facts;
mod identify;
mod judge;
mod own_use;
mod stopped;
mod target;
mod verdict;
mod watch;

use std::net::SocketAddr;
use std::sync::Arc;

use ::http::request::Parts;
use ::http::{Request, Response};
use aforo_core::{Span, Timestamp};
use aforo_policy::{Charges, Described, OfDescriptors, Planned, PlannedCharge, Refusal};
use bytes::Bytes;
use http_body::Body;

use crate::decide::{DescriptorsRuling, Ruling};
use crate::http::denial::{DecisionId, Refused};
use crate::setup::Setup;
use crate::taking::{How, Judgement};
use crate::{Admission, AnswerBody, Limiter, Replayed};
use body::BodyError;
use door::Door;
pub(crate) use entry::Entry;
use judge::{Asking, Front, Waits};
use stopped::Stopped;
use verdict::Fate;

/// A request on its way.
pub(crate) enum Entered<B> {
    /// It was decided at once.
    Done(Admission<B>),
    /// Its consumer has to be asked for, its body to be read, or a store to be waited for.
    Waits(Waiting<B>),
}

/// A request that has to wait for whoever knows its consumer, its body, or a store.
pub(crate) struct Waiting<B> {
    entry: Box<Entry>,
    parts: Parts,
    body: B,
    waits: Waits,
}

/// A request or a question that was decided for somebody else.
pub(crate) struct Ruled {
    pub(crate) entry: Box<Entry>,
    /// The answer that the caller is to get instead.
    pub(crate) denial: Option<Response<AnswerBody>>,
    /// Its name.
    pub(crate) id: DecisionId,
}

/// Decides over a request by its facts, or over as many as `times` says, for somebody else. What is
/// taken stays taken.
pub(crate) async fn rule(
    limiter: &Limiter,
    times: u64,
    parts: Parts,
    body: Option<&[u8]>,
    peer: Option<SocketAddr>,
    how: How,
) -> Ruled {
    let mut entry = Entry::new(limiter, &parts, peer);
    entry.door.times = times;
    let front = match how {
        How::Take => entry.front(&parts),
        How::Look => entry.look_ahead(&parts),
    };
    let judged = match front {
        Front::Judged(judgement) => Ok(judgement),
        Front::Uncounted => Ok(Judgement::Pass(Span::ZERO)),
        Front::Stopped(stopped) => Err(stopped),
        Front::Waits(waits) => entry.judge_after(&parts, waits, body, how).await,
    };
    entry.ruled(&parts, judged)
}

/// Decides over the descriptors of a request. What is taken stays taken.
pub(crate) async fn rule_descriptors(
    limiter: &Limiter,
    domain: &str,
    descriptors: &[Described<'_>],
) -> Result<DescriptorsRuling, Refusal> {
    let mut entry = Entry::at(Door::without_request(limiter));
    let setup = Arc::clone(&entry.door.setup);
    let (place, now, key) = (limiter.place, entry.door.now, &limiter.inner.key);
    let policies = &setup.policies;
    let OfDescriptors { charges, ends } =
        policies.charges_of_descriptors(domain, descriptors, place, now, key)?;
    let judgement = entry.judge_descriptors(&charges).await;
    let partition = |one: &PlannedCharge<'_>| match &one.planned {
        Planned::Charge(charge) => Some(charge.partition),
        Planned::Blocked => None,
    };
    let partitions = charges.planned.iter().map(partition).collect();
    let (parts, ()) = Request::new(()).into_parts();
    Ok(DescriptorsRuling {
        ruling: Ruling::new(entry.ruled(&parts, Ok(judgement))),
        ends,
        partitions,
    })
}

/// Decides over charges by name, for somebody else.
pub(crate) async fn rule_named<E>(
    limiter: &Limiter,
    how: How,
    plan: impl for<'a> FnOnce(&'a Setup, Timestamp) -> Result<Charges<'a>, E>,
) -> Result<Ruled, E> {
    let mut entry = Entry::at(Door::without_request(limiter));
    let setup = Arc::clone(&entry.door.setup);
    let charges = plan(&setup, entry.door.now)?;
    let judgement = entry.judge_named(&charges, how).await;
    let (parts, ()) = Request::new(()).into_parts();
    Ok(entry.ruled(&parts, Ok(judgement)))
}

/// Takes a request in; most are decided here.
#[inline]
pub(crate) fn enter<B>(
    limiter: &Limiter,
    request: Request<B>,
    peer: Option<SocketAddr>,
) -> Entered<B>
where
    B: Body<Data = Bytes> + Unpin,
{
    let (mut parts, body) = request.into_parts();
    let mut entry = Entry::new(limiter, &parts, peer);
    let fate = match entry.front(&parts) {
        Front::Judged(judgement) => entry.conclude(&mut parts, judgement),
        Front::Uncounted => Fate::Passes(entry.pass(&mut parts, Span::ZERO)),
        Front::Stopped(stopped) => Fate::Answered(entry.answer(&parts, &stopped.as_refused())),
        Front::Waits(waits) => {
            return Entered::Waits(Waiting {
                entry,
                parts,
                body,
                waits,
            });
        }
    };
    Entered::Done(fate.of(parts, Replayed::untouched(body)))
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
            waits,
        } = self;
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
