//! A request that goes on.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use ::http::{StatusCode, header, response};
use aforo_policy::Caller;
use smallvec::SmallVec;

use crate::SettledCost;
use crate::http::{Standing, cors, fields};
use crate::identity::ClientAddress;
use crate::taking::Line;
use crate::way::Entry;

/// A request that goes on: what its response will carry, and what is left to settle.
///
/// Dropped before [`Passage::forwarded`], it gives a leaky bucket's tail slot and reserved
/// charges back; dropped after it, charges stay.
pub struct Passage {
    entry: Box<Entry>,
    cost: Option<u64>,
}

impl Passage {
    pub(crate) const fn new(entry: Box<Entry>) -> Self {
        Self { entry, cost: None }
    }

    /// How long the request is held for its slot, for a leaky bucket.
    pub fn delay(&self) -> Option<Duration> {
        let delay = self.entry.delay;
        (!delay.is_zero()).then(|| delay.into())
    }

    /// The client address, for the forwarding headers; `0.0.0.0` when nobody said who the peer is.
    pub fn client_address(&self) -> IpAddr {
        let nowhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        self.client().map_or(nowhere, |client| client.address)
    }

    /// Where the request comes from, when somebody said who the peer is.
    pub fn client(&self) -> Option<&ClientAddress> {
        self.entry.door.client.as_ref()
    }

    /// The consumer's id, when one was verified.
    pub fn consumer(&self) -> Option<&str> {
        let consumer = self.entry.caller.consumer.as_ref();
        consumer.map(|consumer| consumer.id.as_str())
    }

    /// Whoever makes the request.
    pub fn caller(&self) -> &Caller {
        &self.entry.caller
    }

    /// How the caller stands. The layer puts it among the request's extensions for handlers.
    pub fn standing(&self) -> crate::Standing {
        let Entry {
            caller,
            lines,
            delay,
            ..
        } = &*self.entry;
        crate::Standing::of(caller, lines, *delay)
    }

    /// The request is on its way: from here charges are kept.
    pub fn forwarded(&mut self) {
        self.entry.forwarded = true;
    }

    /// Corrects the request's cost to what it truly was.
    pub fn set_cost(&mut self, cost: u64) {
        self.cost = Some(cost);
    }

    /// Writes the fields on the response, joined with the upstream's own, settles what counts
    /// by result, and marks a device from which somebody logged in.
    ///
    /// The true cost is what [`Passage::set_cost`] said, else a [`SettledCost`] among the
    /// response's extensions, else the header that the route's `cost_from` names. The header goes
    /// on to the caller.
    pub async fn finish(mut self, response: &mut response::Parts) {
        let said = response.extensions.get::<SettledCost>().map(|cost| cost.0);
        let cost = self.cost.or(said).or_else(|| self.told_cost(response));
        self.entry.forwarded = true;
        self.entry.watch_result(response.status);
        if self.has_to_settle(response.status, cost) {
            // In a box, since most responses change nothing.
            Box::pin(self.settle(response.status, cost)).await;
        }
        if let Some(aftermath) = self.entry.aftermath.take() {
            let now = self.entry.door.fixed().clock.now();
            aftermath.mark_device(response.status, &mut response.headers, now);
        }
        self.write_fields(response);
    }

    /// Whether [`Passage::finish`] has nothing to wait for.
    #[cfg(feature = "tower")]
    pub(crate) fn finishes_at_once(&self) -> bool {
        self.entry.receipts.all_immediate()
    }

    /// The cost in the header that the route names.
    fn told_cost(&self, response: &response::Parts) -> Option<u64> {
        let aftermath = self.entry.aftermath.as_ref()?;
        aftermath.cost(&response.headers)
    }

    /// Whether a charge has to be corrected.
    fn has_to_settle(&self, status: StatusCode, cost: Option<u64>) -> bool {
        let taken = self.entry.lines.iter().filter(|line| line.taken > 0);
        taken
            .into_iter()
            .any(|line| true_cost(line, status, cost) != line.taken)
    }

    /// Corrects the charges to what the response made of them.
    async fn settle(&mut self, status: StatusCode, cost: Option<u64>) {
        let entry = &mut *self.entry;
        for held in entry.receipts.take_all() {
            let stores = &entry.door.setup.stores;
            let observer = &*entry.door.fixed().observer;
            let true_cost = |line: &Line| true_cost(line, status, cost);
            held.settle(&mut entry.lines, stores, observer, true_cost)
                .await;
        }
    }

    fn write_fields(&self, response: &mut response::Parts) {
        let entry = &self.entry;
        let settings = entry.door.setup.settings();
        let mut standings: SmallVec<[Standing<'_>; 6]> = SmallVec::new();
        for line in &entry.lines {
            // Not by `extend`, which costs twice as much for one.
            if let Some(standing) = line.standing() {
                standings.push(standing);
            }
        }
        let plan = entry.caller.plan.as_ref().map(|plan| plan.name.as_str());
        fields::write_standings(&mut response.headers, &standings, plan, &settings.responses);
        let gateway = settings.gateway.as_ref();
        if let Some(allowed) = gateway.and_then(|gateway| gateway.cors.as_ref()) {
            let origin = entry.origin.clone().map(|origin| (header::ORIGIN, origin));
            cors::write(
                &mut response.headers,
                &origin.into_iter().collect(),
                allowed,
            );
        }
    }
}

/// What a charge truly took, when the response said `cost`.
fn true_cost(line: &Line, status: StatusCode, cost: Option<u64>) -> u64 {
    match cost {
        _ if !line.counted.holds(status) => 0,
        Some(cost) if !line.own_cost => cost,
        _ => line.taken,
    }
}

impl std::fmt::Debug for Passage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Passage")
            .field("lines", &self.entry.lines)
            .field("forwarded", &self.entry.forwarded)
            .finish_non_exhaustive()
    }
}
