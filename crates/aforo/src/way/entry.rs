//! A request at the door: its address, the edge, its consumer.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use ::http::HeaderValue;
use ::http::request::Parts;
use aforo_core::{Charge, Mode, OnDenial, Principal, PrincipalKind, Span, Timestamp};
use aforo_policy::{
    Anonymous, Caller, CanonicalPath, Counted, Credential, Facts, PathError, Place, Planned,
    PlannedCharge, Refusal,
};
use aforo_store::{Batch, Store};

use super::facts;
use crate::Limiter;
use crate::at_once::at_once;
use crate::http::denial::Refused;
use crate::identity::{ClientAddress, Identified, prefix};
use crate::setup::Setup;
use crate::taking::{Line, Lines, Receipts};

/// The most bytes of a body that are read for partition keys, where no gateway says another.
const MOST_BODY: usize = 64 * 1024;

/// A request at the door, and what is kept of it until its response. Boxed once, since it travels
/// through several futures. Dropped before it is forwarded, it gives its charges back.
pub(crate) struct Entry {
    pub(crate) limiter: Limiter,
    pub(crate) setup: Arc<Setup>,
    pub(crate) client: Option<ClientAddress>,
    pub(crate) caller: Caller,
    pub(super) now: Timestamp,
    /// The policies charged so far: those of the edge, then all.
    pub(crate) lines: Lines,
    /// What it takes to give the charges back.
    pub(crate) receipts: Receipts,
    /// How long it is held.
    pub(crate) delay: Span,
    /// The page that asked, where some may read the answers.
    pub(crate) origin: Option<HeaderValue>,
    /// Whether it is on its way: from here charges are kept.
    pub(crate) forwarded: bool,
}

/// What the front says.
pub(super) enum Front {
    /// It is answered.
    Answer(Stopped),
    /// It goes on uncounted.
    Pass,
    /// It is to be charged.
    Behind {
        /// Whether a policy counts by its body.
        needs_body: bool,
    },
}

/// Why a request stops before its charges were taken.
#[derive(Debug)]
pub(super) enum Stopped {
    Exceeded,
    Path(PathError),
    Anonymous,
    PeerUnknown,
    Refusal(Refusal),
}

impl Stopped {
    pub(super) const fn as_refused(&self) -> Refused<'_> {
        match self {
            Self::Exceeded => Refused::Exceeded,
            Self::Path(error) => Refused::Path(error),
            Self::Anonymous => Refused::Anonymous,
            Self::PeerUnknown => Refused::PeerUnknown,
            Self::Refusal(refusal) => Refused::Refusal(refusal),
        }
    }
}

impl Entry {
    /// A request that came from `peer`.
    pub(super) fn new(limiter: &Limiter, parts: &Parts, peer: Option<SocketAddr>) -> Box<Self> {
        let setup = limiter.inner.setup.load_full();
        let client = peer
            .map(|peer| ClientAddress::of(peer.ip(), &parts.headers, &setup.settings().identity));
        if let Some(client) = client.filter(|client| client.untrusted_forwarding) {
            limiter.inner.untrusted.saw(client.peer);
            limiter.inner.observer.untrusted_forwarding(client.peer);
        }
        let nowhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        Box::new(Self {
            now: limiter.inner.clock.now(),
            limiter: limiter.clone(),
            caller: Caller {
                address: client.map_or(nowhere, |client| client.address),
                consumer: None,
                plan: None,
                credential: Credential::Absent,
            },
            client,
            setup,
            lines: Lines::new(),
            receipts: Receipts::default(),
            delay: Span::ZERO,
            origin: None,
            forwarded: false,
        })
    }

    /// The front: edge, path, what passes uncounted, identity.
    pub(super) fn front(&mut self, parts: &Parts) -> Front {
        if let Some(stopped) = self.stopped_at_edge() {
            return Front::Answer(stopped);
        }
        let setup = Arc::clone(&self.setup);
        let target = facts::target(parts);
        let path = match CanonicalPath::new(target.path(), &setup.settings().paths) {
            Ok(path) => path,
            Err(error) => return Front::Answer(Stopped::Path(error)),
        };
        let facts = facts_of(parts, &path, None);
        let matched = match facts::router_template(parts) {
            Some(template) => setup.policies.matched_template(&facts, template),
            None => setup.policies.matched(&facts),
        };
        if facts::is_preflight(parts) || matched.route.is_some_and(|route| route.exempt) {
            return Front::Pass;
        }
        if let Some(stopped) = self.identify(parts) {
            return Front::Answer(stopped);
        }
        let place = self.limiter.inner.place;
        let needs_body = setup.policies.needs_body(&matched, &self.caller, place);
        Front::Behind { needs_body }
    }

    /// Charges the edge's policies, each by itself. What they took stays taken.
    fn stopped_at_edge(&mut self) -> Option<Stopped> {
        let setup = Arc::clone(&self.setup);
        let inner = &self.limiter.inner;
        if self.client.is_none() {
            let enforced = |policy: &Arc<aforo_policy::Policy>| is_at(policy, inner.place);
            return setup
                .settings()
                .edge
                .iter()
                .any(enforced)
                .then_some(Stopped::PeerUnknown);
        }
        let charges =
            setup
                .policies
                .edge_charges(self.caller.address, inner.place, self.now, &inner.key);
        for planned in &charges.planned {
            let mut line = Line::of(planned);
            if let Planned::Charge(charge) = &planned.planned {
                charge_edge(&inner.edge, charge, &mut line);
            }
            inner.observer.judged(&line.judged());
            self.lines.push(line);
        }
        let denied = self.lines.iter().any(Line::is_violated);
        denied.then_some(Stopped::Exceeded)
    }

    /// Finds the consumer.
    fn identify(&mut self, parts: &Parts) -> Option<Stopped> {
        let setup = Arc::clone(&self.setup);
        let settings = setup.settings();
        let found = match &self.limiter.inner.identify {
            Some(identify) => match identify(parts) {
                Some(known) => Identified::Verified(known.resolved(settings)),
                None => Identified::Absent,
            },
            None => {
                let trusted = self.client.is_some_and(|client| client.peer_trusted);
                Identified::of(&parts.headers, trusted, &settings.identity, &setup.api_keys)
            }
        };
        self.caller.credential = match &found {
            Identified::Absent => Credential::Absent,
            Identified::Unrecognised => Credential::Unrecognised,
            Identified::Verified(_) => Credential::Verified,
        };
        if let Identified::Verified(consumer) = found {
            let default = settings.identity.default_plan.as_ref();
            self.caller.plan = consumer
                .plan
                .clone()
                .or_else(|| default.and_then(|name| settings.plans.get(name).cloned()));
            self.caller.consumer = Some(consumer);
            return None;
        }
        self.caller.plan = settings.plans.get("anonymous").cloned();
        if self.too_many_failed_credentials() {
            return Some(Stopped::Exceeded);
        }
        (settings.identity.anonymous == Anonymous::Deny).then_some(Stopped::Anonymous)
    }

    /// Counts a credential that verified nobody, per address. Where the file knows no consumers, a
    /// credential is the application's own business.
    fn too_many_failed_credentials(&mut self) -> bool {
        let inner = &self.limiter.inner;
        let settings = self.setup.settings();
        let (Some(terms), Credential::Unrecognised, Some(client)) = (
            &inner.failed_credentials,
            self.caller.credential,
            self.client,
        ) else {
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
        let charge = Charge {
            terms,
            principal: Principal {
                kind: PrincipalKind::Stranger,
                hash,
            },
            partition: hash,
            subject: None,
            cost: 1,
            mode: Mode::Enforce,
            on_denial: OnDenial::Keep,
            edges: None,
        };
        let mut line = Line {
            name: terms.name().clone(),
            quota: Some(*terms.quota()),
            outcome: None,
            mode: Mode::Enforce,
            disclosed: false,
            counted: Counted::All,
            counts_denials: false,
            cost: 1,
            own_cost: true,
            taken: 0,
            seat: None,
        };
        charge_edge(&inner.edge, &charge, &mut line);
        inner.observer.judged(&line.judged());
        let denied = line.is_violated();
        self.lines.push(line);
        denied
    }

    /// The most bytes of a body that are read.
    pub(super) fn most_body(&self) -> usize {
        let gateway = self.setup.settings().gateway.as_ref();
        gateway.map_or(MOST_BODY, |gateway| gateway.max_body_for_keys)
    }

    /// Whether a planned charge counts by the address, which may not be known.
    pub(super) fn counts_by_address(&self, planned: &[PlannedCharge<'_>]) -> bool {
        use aforo_policy::{Part, WhenMissing};
        let anonymous = self.caller.consumer.is_none();
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
}

/// The facts of a request.
pub(super) fn facts_of<'a>(
    parts: &'a Parts,
    path: &'a CanonicalPath<'a>,
    body: Option<&'a [u8]>,
) -> Facts<'a> {
    Facts {
        method: &parts.method,
        path,
        query: facts::target(parts).query(),
        host: facts::host(parts),
        headers: &parts.headers,
        body: body.map(|bytes| aforo_policy::BodyFacts { bytes }),
    }
}

/// Puts one charge to the edge's memory, which answers at once.
fn charge_edge(edge: &crate::stores::Memory, charge: &Charge<'_>, line: &mut Line) {
    let mut batch = Batch::new();
    batch.push(*charge);
    if let Some(Ok(charged)) = at_once(edge.charge(&batch)) {
        line.outcome = charged.outcomes.first().copied();
        if charged.taken {
            line.was_taken();
        }
    }
}

fn is_at(policy: &aforo_policy::Policy, place: Place) -> bool {
    match place {
        Place::Gateway => policy.at.gateway,
        Place::App => policy.at.app,
        Place::Decide => policy.at.decide,
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if self.forwarded || self.receipts.is_empty() {
            return;
        }
        let receipts = std::mem::take(&mut self.receipts);
        let limiter = self.limiter.clone();
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
