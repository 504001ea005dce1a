//! A request at the door: its address, the edge, its consumer.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use ::http::request::Parts;
use aforo_core::{Charge, Mode, Principal, Terms, Timestamp};
use aforo_policy::{
    Anonymous, Caller, Counted, Credential, Part, Planned, PlannedCharge, Policy, WhenMissing,
};
use aforo_store::{Batch, Store};

use super::Stopped;
use crate::Limiter;
use crate::at_once::at_once;
use crate::identity::{ClientAddress, Identified, prefix};
use crate::limiter::Inner;
use crate::setup::Setup;
use crate::taking::{Line, Lines, Measure};

/// The most bytes of a body that are read for partition keys, where no gateway says another.
const MOST_BODY: usize = 64 * 1024;

/// A request at the door: when it came, from where, and what it is put against.
pub(crate) struct Door {
    pub(crate) limiter: Limiter,
    pub(crate) setup: Arc<Setup>,
    pub(crate) client: Option<ClientAddress>,
    pub(super) now: Timestamp,
}

impl Door {
    /// The door of a request that came from `peer`.
    pub(super) fn of(limiter: &Limiter, parts: &Parts, peer: Option<SocketAddr>) -> Self {
        let setup = limiter.inner.setup.load_full();
        let identity = &setup.settings().identity;
        let client = peer.map(|peer| ClientAddress::of(peer.ip(), &parts.headers, identity));
        if let Some(client) = client.filter(|client| client.untrusted_forwarding) {
            limiter.inner.untrusted.saw(client.peer);
            limiter.inner.observer.untrusted_forwarding(client.peer);
        }
        Self {
            now: limiter.inner.clock.now(),
            limiter: limiter.clone(),
            client,
            setup,
        }
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.limiter.inner
    }

    /// Whoever came, before anything is known but the address.
    pub(super) fn stranger(&self) -> Caller {
        let nowhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        Caller {
            address: self.client.map_or(nowhere, |client| client.address),
            consumer: None,
            plan: None,
            credential: Credential::Absent,
        }
    }

    /// Charges the edge's policies, each by itself. What they took stays taken.
    pub(super) fn charge_edge(&self, caller: &Caller, lines: &mut Lines) -> Option<Stopped> {
        let (inner, edge) = (self.inner(), &self.setup.settings().edge);
        if edge.is_empty() {
            return None;
        }
        if self.client.is_none() {
            let enforced = |policy: &Arc<Policy>| policy.at.hold(inner.place);
            return edge.iter().any(enforced).then_some(Stopped::PeerUnknown);
        }
        let policies = &self.setup.policies;
        let charges = policies.edge_charges(caller.address, inner.place, self.now, &inner.key);
        for planned in &charges.planned {
            let mut line = Line::of(planned);
            if let Planned::Charge(charge) = &planned.planned {
                self.charge_alone(charge, &mut line);
            }
            inner.observer.judged(&line.judged());
            lines.push(line);
        }
        let denied = lines.iter().any(Line::is_violated);
        denied.then_some(Stopped::Exceeded)
    }

    /// Finds the consumer.
    pub(super) fn identify(
        &self,
        parts: &Parts,
        caller: &mut Caller,
        lines: &mut Lines,
    ) -> Option<Stopped> {
        let settings = self.setup.settings();
        let found = match &self.inner().identify {
            Some(identify) => match identify(parts) {
                Some(known) => Identified::Verified(known.resolved(settings)),
                None => Identified::Absent,
            },
            None => {
                let trusted = self.client.is_some_and(|client| client.peer_trusted);
                let api_keys = &self.setup.api_keys;
                Identified::of(&parts.headers, trusted, &settings.identity, api_keys)
            }
        };
        caller.credential = found.credential();
        if let Identified::Verified(consumer) = found {
            let default = settings.identity.default_plan.as_ref();
            caller.plan = consumer
                .plan
                .clone()
                .or_else(|| default.and_then(|name| settings.plans.get(name).cloned()));
            caller.consumer = Some(consumer);
            return None;
        }
        caller.plan = settings.plans.get("anonymous").cloned();
        if self.has_failed_too_often(caller, lines) {
            return Some(Stopped::Exceeded);
        }
        (settings.identity.anonymous == Anonymous::Deny).then_some(Stopped::Anonymous)
    }

    /// Counts a credential that verified nobody, per address. Where the file knows no consumers, a
    /// credential is the application's own business.
    fn has_failed_too_often(&self, caller: &Caller, lines: &mut Lines) -> bool {
        let (inner, settings) = (self.inner(), self.setup.settings());
        let (Some(terms), Credential::Unrecognised, Some(client)) =
            (&inner.failed_credentials, caller.credential, self.client)
        else {
            return false;
        };
        if settings.consumers.is_empty() {
            return false;
        }
        let octets = match prefix(client.address, settings.identity.ipv6_prefix) {
            IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
            IpAddr::V6(address) => address.octets(),
        };
        let hash = inner.key.hash(&octets);
        let charge = Charge::new(terms, Principal::stranger(hash), 1);
        let mut line = undisclosed(terms);
        self.charge_alone(&charge, &mut line);
        inner.observer.judged(&line.judged());
        let denied = line.is_violated();
        lines.push(line);
        denied
    }

    /// Puts one charge to the edge's memory, which answers at once.
    fn charge_alone(&self, charge: &Charge<'_>, line: &mut Line) {
        let mut batch = Batch::new();
        batch.push(*charge);
        if let Some(Ok(charged)) = at_once(self.inner().edge.charge(&batch)) {
            line.outcome = charged.outcomes.first().copied();
            if charged.taken {
                line.was_taken();
            }
        }
    }

    /// The most bytes of a body that are read.
    pub(super) fn most_body(&self) -> usize {
        let gateway = self.setup.settings().gateway.as_ref();
        gateway.map_or(MOST_BODY, |gateway| gateway.max_body_for_keys)
    }
}

/// The line of a policy of one unit that is told to nobody.
fn undisclosed(terms: &Arc<Terms>) -> Line {
    Line {
        measure: Measure::Metered(Arc::clone(terms)),
        outcome: None,
        mode: Mode::Enforce,
        disclosed: false,
        counted: Counted::All,
        counts_denials: false,
        cost: 1,
        own_cost: true,
        taken: 0,
        seat: None,
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
