//! The way of one request: edge, facts, caller, charges, decision.

mod body;
mod door;
mod entered;
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
use ::http::{HeaderMap, Response};
use aforo_core::Span;
use aforo_policy::{Charges, Described, OfDescriptors, Planned, PlannedCharge, Refusal};

use crate::decide::{Asked, DescriptorsRuling, Ruling};
use crate::http::denial::DecisionId;
use crate::taking::{How, Judgement};
use crate::{AnswerBody, CheckError, Limiter};
use door::Door;
pub(crate) use entered::enter;
pub use entered::{Entered, Waiting};
pub(crate) use entry::Entry;
use judge::Front;
use stopped::Stopped;

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
    entry.ruled(&parts.headers, judged)
}

/// Decides over the descriptors of a request. What is taken stays taken.
pub(crate) async fn rule_descriptors(
    limiter: &Limiter,
    domain: &str,
    descriptors: &[Described<'_>],
) -> Result<DescriptorsRuling, Refusal> {
    let mut entry = Entry::at(Door::without_request(limiter));
    let setup = Arc::clone(&entry.door.setup);
    let (place, now, key) = (limiter.place, entry.door.now, &limiter.fixed.key);
    let policies = &setup.policies;
    let OfDescriptors { charges, ends } =
        policies.charges_of_descriptors(domain, descriptors, place, now, key)?;
    let judgement = entry.judge_descriptors(&charges).await;
    let partition = |one: &PlannedCharge<'_>| match &one.planned {
        Planned::Charge(charge) => Some(charge.partition),
        Planned::Blocked => None,
    };
    let partitions = charges.planned.iter().map(partition).collect();
    Ok(DescriptorsRuling {
        ruling: Ruling::new(entry.ruled(&HeaderMap::new(), Ok(judgement))),
        ends,
        partitions,
    })
}

/// Decides over policies by name, for somebody else.
pub(crate) async fn rule_named(
    limiter: &Limiter,
    asked: &[Asked<'_>],
    how: How,
) -> Result<Ruled, CheckError> {
    let mut entry = Entry::at(Door::without_request(limiter));
    let setup = Arc::clone(&entry.door.setup);
    let (now, key) = (entry.door.now, &limiter.fixed.key);
    let mut charges = Charges::default();
    for one in asked {
        setup
            .policies
            .add_charge_by_name(
                &mut charges,
                (one.policy, one.partition),
                one.cost,
                now,
                key,
            )
            .ok_or_else(|| CheckError::UnknownPolicy(one.policy.to_owned()))?;
    }
    let judgement = entry.judge_named(&charges, how).await;
    Ok(entry.ruled(&HeaderMap::new(), Ok(judgement)))
}
