//! A request at the door: its address, the edge.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use ::http::request::Parts;
use aforo_core::{Charge, Timestamp};
use aforo_policy::{Caller, Part, Place, Planned, PlannedCharge, Policy, WhenMissing};
use aforo_store::{Batch, Receipt, Store};

use super::Stopped;
use crate::Limiter;
use crate::at_once::at_once;
use crate::fixed::Fixed;
use crate::identity::ClientAddress;
use crate::setup::Setup;
use crate::taking::{Line, Lines};

/// The most bytes of a body that are read for partition keys, where no gateway says another.
const MOST_BODY: usize = 64 * 1024;

/// A request at the door: when it came, from where, and what it is put against.
pub(crate) struct Door {
    pub(crate) setup: Arc<Setup>,
    /// Where the limiter stands.
    pub(crate) place: Place,
    pub(crate) client: Option<ClientAddress>,
    pub(super) now: Timestamp,
    /// How many requests it stands for.
    pub(super) times: u64,
}

impl Door {
    /// The door of a request that came from `peer`.
    pub(super) fn of(limiter: &Limiter, parts: &Parts, peer: Option<SocketAddr>) -> Self {
        let setup = limiter.setup.load_full();
        let identity = &setup.settings().identity;
        let client = peer.map(|peer| ClientAddress::of(peer.ip(), &parts.headers, identity));
        if let Some(client) = client.filter(|client| client.untrusted_forwarding) {
            limiter.fixed.untrusted.saw(client.peer);
            limiter.fixed.observer.untrusted_forwarding(client.peer);
        }
        Self {
            now: limiter.fixed.clock.now(),
            times: 1,
            place: limiter.place,
            client,
            setup,
        }
    }

    /// The door of whoever asks without a request.
    pub(super) fn without_request(limiter: &Limiter) -> Self {
        Self {
            now: limiter.fixed.clock.now(),
            times: 1,
            setup: limiter.setup.load_full(),
            place: limiter.place,
            client: None,
        }
    }

    pub(crate) fn fixed(&self) -> &Fixed {
        &self.setup.fixed
    }

    /// Whoever came, before anything is known but the address.
    pub(super) fn stranger(&self) -> Caller {
        let nowhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        Caller::stranger(self.client.map_or(nowhere, |client| client.address))
    }

    /// Charges the edge's policies, each by itself. What they took stays taken.
    pub(super) fn charge_edge(&self, caller: &Caller, lines: &mut Lines) -> Option<Stopped> {
        let (fixed, edge) = (self.fixed(), &self.setup.settings().edge);
        if edge.is_empty() {
            return None;
        }
        if self.client.is_none() {
            let enforced = |policy: &Arc<Policy>| policy.at.hold(self.place);
            return edge.iter().any(enforced).then_some(Stopped::PeerUnknown);
        }
        let policies = &self.setup.policies;
        let place = self.place;
        let charges = policies.edge_charges(caller.address, place, self.now, &fixed.key);
        for planned in &charges.planned {
            let mut line = Line::of(planned);
            if let Planned::Charge(charge) = &planned.planned {
                self.charge_alone(charge, &mut line);
            }
            fixed.observer.judged(&line.judged());
            lines.push(line);
        }
        let denied = lines.iter().any(Line::is_violated);
        denied.then_some(Stopped::Exceeded)
    }

    /// Puts one charge to the edge's memory, which answers at once.
    pub(super) fn charge_alone(&self, charge: &Charge<'_>, line: &mut Line) -> Receipt {
        let mut batch = Batch::new();
        batch.push(*charge);
        let Some(Ok(charged)) = at_once(self.fixed().edge.charge(&batch)) else {
            return Receipt::empty();
        };
        line.outcome = charged.outcomes.first().copied();
        if charged.taken {
            line.was_taken();
        }
        charged.receipt
    }

    /// The most bytes of a body that are read.
    pub(super) fn most_body(&self) -> usize {
        let gateway = self.setup.settings().gateway.as_ref();
        gateway.map_or(MOST_BODY, |gateway| gateway.max_body_for_keys)
    }
}

/// Whether a planned charge counts by the address, which may not be known.
pub(super) fn counts_by_address(caller: &Caller, planned: &[PlannedCharge<'_>]) -> bool {
    let anonymous = caller.consumer.is_none();
    planned.iter().any(|planned| {
        let policy = planned.policy;
        policy.partition_by.iter().any(|alternatives| {
            alternatives.0.iter().any(|part| match part {
                Part::ClientIp(_) => true,
                Part::Caller => anonymous,
                Part::Everyone | Part::Route | Part::Method | Part::Host => false,
                _ => anonymous && policy.when_missing == WhenMissing::Caller,
            })
        })
    })
}
