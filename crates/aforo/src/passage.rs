//! A request that goes on.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use ::http::{HeaderValue, StatusCode, header, response};
use aforo_core::Span;
use aforo_policy::{Caller, Counted};

use crate::at_once::at_once;
use crate::http::{Shown, cors, fields};
use crate::identity::ClientAddress;
use crate::setup::Setup;
use crate::taking::{Line, Lines, Receipts};
use crate::{Limiter, SettledCost};

/// A request that goes on: what its response will carry, and what is left to settle.
///
/// Dropped before [`Passage::forwarded`], it gives a leaky bucket's tail slot and reserved
/// charges back; dropped after it, charges stay.
#[derive(Debug)]
pub struct Passage {
    // Boxed: it travels through several futures.
    open: Box<Open>,
}

/// What a passage begins with.
pub(crate) struct Opened {
    pub(crate) limiter: Limiter,
    pub(crate) setup: Arc<Setup>,
    pub(crate) caller: Caller,
    pub(crate) client: Option<ClientAddress>,
    pub(crate) lines: Lines,
    pub(crate) receipts: Receipts,
    pub(crate) delay: Span,
    /// The page that asked, where some may read the answers.
    pub(crate) origin: Option<HeaderValue>,
}

struct Open {
    opened: Opened,
    forwarded: bool,
    cost: Option<u64>,
}

impl Passage {
    pub(crate) fn new(opened: Opened) -> Self {
        Self {
            open: Box::new(Open {
                opened,
                forwarded: false,
                cost: None,
            }),
        }
    }

    /// How long the request is held for its slot, for a leaky bucket.
    pub fn delay(&self) -> Option<Duration> {
        let delay = self.open.opened.delay;
        (!delay.is_zero()).then(|| delay.into())
    }

    /// The client address, for the forwarding headers; `0.0.0.0` when nobody said who the peer is.
    pub fn client_address(&self) -> IpAddr {
        let nowhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        self.client().map_or(nowhere, |client| client.address)
    }

    /// Where the request comes from, when somebody said who the peer is.
    pub fn client(&self) -> Option<&ClientAddress> {
        self.open.opened.client.as_ref()
    }

    /// The consumer's id, when one was verified.
    pub fn consumer(&self) -> Option<&str> {
        let consumer = self.open.opened.caller.consumer.as_ref();
        consumer.map(|consumer| consumer.id.as_str())
    }

    /// The request is on its way: from here charges are kept.
    pub fn forwarded(&mut self) {
        self.open.forwarded = true;
    }

    /// Corrects the request's cost to what it truly was.
    pub fn set_cost(&mut self, cost: u64) {
        self.open.cost = Some(cost);
    }

    /// Writes the fields on the response, joined with the upstream's own, and settles what counts
    /// by result.
    ///
    /// The true cost is what [`Passage::set_cost`] said, else a [`SettledCost`] among the
    /// response's extensions.
    pub async fn finish(mut self, response: &mut response::Parts) {
        let said = response.extensions.get::<SettledCost>().map(|cost| cost.0);
        self.open.settle(response.status, said).await;
        self.open.write_fields(response);
    }

    /// Whether [`Passage::finish`] has nothing to wait for.
    #[cfg(feature = "tower")]
    pub(crate) fn finishes_at_once(&self) -> bool {
        self.open.opened.receipts.all_immediate()
    }
}

impl Open {
    /// Corrects the charges to what the response made of them.
    async fn settle(&mut self, status: StatusCode, said: Option<u64>) {
        self.forwarded = true;
        let cost = self.cost.or(said);
        let opened = &mut self.opened;
        let true_cost = |line: &Line| match cost {
            _ if !counts(&line.counted, status) => 0,
            Some(cost) if !line.own_cost => cost,
            _ => line.taken,
        };
        for held in opened.receipts.take_all() {
            let observer = &*opened.limiter.inner.observer;
            held.settle(&mut opened.lines, observer, true_cost).await;
        }
    }

    fn write_fields(&self, response: &mut response::Parts) {
        let opened = &self.opened;
        let plan = opened.caller.plan.as_deref();
        let shown = Shown {
            policies: opened.lines.iter().filter_map(Line::shown).collect(),
            plan: plan.map(|plan| plan.name.as_str()),
            upgrade_url: plan.and_then(|plan| plan.upgrade_url.as_deref()),
        };
        let responses = &opened.setup.settings().responses;
        fields::write(&mut response.headers, &shown, responses);
        let gateway = opened.setup.settings().gateway.as_ref();
        if let Some(allowed) = gateway.and_then(|gateway| gateway.cors.as_ref()) {
            let origin = opened.origin.clone().map(|origin| (header::ORIGIN, origin));
            cors::write(
                &mut response.headers,
                &origin.into_iter().collect(),
                allowed,
            );
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.forwarded {
            return;
        }
        let receipts = std::mem::take(&mut self.opened.receipts);
        let limiter = self.opened.limiter.clone();
        let immediate = receipts.all_immediate();
        let giving_back = async move { receipts.refund(&*limiter.inner.observer).await };
        if immediate {
            at_once(giving_back);
        } else {
            #[cfg(feature = "tower")]
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(giving_back);
            }
        }
    }
}

/// Whether a response with this status counts.
fn counts(counted: &Counted, status: StatusCode) -> bool {
    let failed = matches!(status.as_u16(), 400 | 401 | 403 | 422);
    match counted {
        Counted::All => true,
        Counted::Failures => failed,
        Counted::Successes => !failed && !status.is_server_error(),
        Counted::Statuses(statuses) => statuses.contains(&status.as_u16()),
    }
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open")
            .field("lines", &self.opened.lines)
            .field("forwarded", &self.forwarded)
            .finish_non_exhaustive()
    }
}
