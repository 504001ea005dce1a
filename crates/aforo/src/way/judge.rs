//! A request's charges, put to the stores.

use ::http::request::Parts;
use aforo_policy::{Aftermath, Caller, Charges, Facts, Matched, Planned, PlannedCharge, Reckoning};

use super::door::{Door, counts_by_address};
use super::identify::Finding;
use super::target::{Target, matched};
use super::{Entry, Stopped, facts};
use crate::decide::Vouched;
use crate::taking::{How, Judgement, Line, Lines, Put, Taking};

/// What is known of the body.
#[derive(Clone, Copy)]
pub(super) enum Asking<'a> {
    /// No policy counts by it.
    Without,
    /// It is not here yet: only what counts without it is asked.
    BeforeBody,
    /// All of it.
    With(&'a [u8]),
}

/// How far a request came without waiting.
pub(super) enum Front {
    /// It is answered.
    Stopped(Stopped),
    /// It goes on uncounted.
    Uncounted,
    /// It is to be charged, and has to wait.
    Waits(Waits),
    /// It was charged.
    Judged(Judgement),
}

/// What a request has to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    /// Whoever knows its consumer.
    Identity,
    /// Its body, which a policy counts by.
    Body,
    /// A store.
    Store,
    /// How its caller's own policies stand, which is all it asks for.
    OwnUse,
}

impl Entry {
    /// Edge, path, what passes uncounted, identity, and the charges, where nothing has to be waited
    /// for.
    pub(super) fn front(&mut self, parts: &Parts) -> Front {
        self.walk(parts).unwrap_or_else(Front::Stopped)
    }

    fn walk(&mut self, parts: &Parts) -> Result<Front, Stopped> {
        let Self {
            door,
            caller,
            lines,
            receipts,
            spelled,
            aftermath,
            operations,
            ..
        } = self;
        stop(door.charge_edge(caller, lines))?;
        let (settings, policies) = (door.setup.settings(), &door.setup.policies);
        let target = Target::of(parts, settings).map_err(Stopped::Path)?;
        *spelled = target.spelled(parts, settings);
        let facts = target.facts(parts, None, policies);
        let matched = matched(policies, parts, &facts);
        let asks_own_use = door.asks_own_use(parts, facts.path);
        if !asks_own_use && (matched.is_exempt() || facts::is_preflight(parts)) {
            return Ok(Front::Uncounted);
        }
        match door.identify(parts, caller, lines) {
            Finding::Found => {}
            Finding::Stopped(stopped) => return Err(stopped),
            Finding::Waits => return Ok(Front::Waits(Waits::Identity)),
        }
        if asks_own_use {
            return Ok(Front::Waits(Waits::OwnUse));
        }
        if policies.needs_body(&matched, caller, door.place) {
            return Ok(Front::Waits(Waits::Body));
        }
        if !door.setup.immediate {
            return Ok(Front::Waits(Waits::Store));
        }
        let mut charges = Charges::default();
        let reckoning = vouched_cost(parts, door.reckoning(&facts, caller, &matched));
        door.add_charges(&mut charges, &reckoning)?;
        *operations = charges.operations;
        *aftermath = door.aftermath(&facts, caller, &matched);
        let mut taking = Taking::new(new_lines(lines, &charges), receipts);
        taking.put_now(door.put(&charges, How::Take));
        Ok(Front::Judged(taking.judgement()))
    }

    /// Finds the consumer out; what is to be waited for then.
    pub(super) async fn find_out(&mut self, parts: &Parts) -> Result<Waits, Stopped> {
        let Self {
            door,
            caller,
            lines,
            ..
        } = self;
        stop(door.find_out(parts, caller, lines).await)?;
        let (settings, policies) = (door.setup.settings(), &door.setup.policies);
        let target = Target::of(parts, settings).map_err(Stopped::Path)?;
        let facts = target.facts(parts, None, policies);
        if door.asks_own_use(parts, facts.path) {
            return Ok(Waits::OwnUse);
        }
        let matched = matched(policies, parts, &facts);
        let needs_body = policies.needs_body(&matched, caller, door.place);
        Ok(if needs_body {
            Waits::Body
        } else {
            Waits::Store
        })
    }

    /// Puts the request's charges to the stores.
    pub(super) async fn judge(
        &mut self,
        parts: &Parts,
        asking: Asking<'_>,
        how: How,
    ) -> Result<Judgement, Stopped> {
        let Self {
            door,
            caller,
            lines,
            receipts,
            aftermath,
            operations,
            ..
        } = self;
        let (settings, policies) = (door.setup.settings(), &door.setup.policies);
        let target = Target::of(parts, settings).map_err(Stopped::Path)?;
        let body = match asking {
            Asking::With(bytes) => Some(bytes),
            Asking::Without | Asking::BeforeBody => None,
        };
        let facts = target.facts(parts, body, policies);
        let matched = matched(policies, parts, &facts);
        let mut reckoning = vouched_cost(parts, door.reckoning(&facts, caller, &matched));
        if matches!(asking, Asking::BeforeBody) {
            reckoning = reckoning.without_body();
        }
        let mut charges = Charges::default();
        door.add_charges(&mut charges, &reckoning)?;
        *operations = charges.operations;
        *aftermath = door.aftermath(&facts, caller, &matched);
        let mut taking = Taking::new(new_lines(lines, &charges), receipts);
        taking.put(door.put(&charges, how)).await;
        Ok(taking.judgement())
    }
}

impl Door {
    fn reckoning<'r, 'a>(
        &'a self,
        facts: &'r Facts<'r>,
        caller: &'a Caller,
        matched: &'r Matched<'a>,
    ) -> Reckoning<'r, 'a>
    where
        'a: 'r,
    {
        let (policies, fixed) = (&self.setup.policies, self.fixed());
        policies.reckoning(facts, caller, matched, self.place, self.now, &fixed.key)
    }

    /// Adds what the request is to be charged.
    fn add_charges<'a>(
        &self,
        charges: &mut Charges<'a>,
        reckoning: &Reckoning<'_, 'a>,
    ) -> Result<(), Stopped> {
        reckoning.add_to(charges).map_err(Stopped::Refusal)?;
        if self.times != 1 {
            charges
                .planned
                .iter_mut()
                .for_each(|one| several(one, self.times));
        }
        if self.client.is_none() && counts_by_address(reckoning.caller(), &charges.planned) {
            return Err(Stopped::PeerUnknown);
        }
        Ok(())
    }

    /// What the request's response is looked at for.
    fn aftermath(
        &self,
        facts: &Facts<'_>,
        caller: &Caller,
        matched: &Matched<'_>,
    ) -> Option<Box<Aftermath>> {
        let (policies, place) = (&self.setup.policies, self.place);
        if !policies.looks_at_responses() {
            return None;
        }
        let aftermath = policies.aftermath(facts, caller, matched, place);
        aftermath.map(Box::new)
    }

    pub(super) fn put<'a>(&'a self, charges: &'a Charges<'_>, how: How) -> Put<'a> {
        Put {
            stores: &self.setup.stores,
            planned: &charges.planned,
            how,
            sums: false,
            observer: &*self.fixed().observer,
            penalises: self.setup.policies.penalises(),
            divides_pools: self.setup.policies.divides_pools(),
        }
    }
}

impl Entry {
    /// The same as [`Entry::front`] for a request that is only looked at: the edge is passed by, and
    /// nothing is charged but a credential that verifies nobody.
    pub(super) fn look_ahead(&mut self, parts: &Parts) -> Front {
        self.walk_ahead(parts).unwrap_or_else(Front::Stopped)
    }

    fn walk_ahead(&mut self, parts: &Parts) -> Result<Front, Stopped> {
        let Self {
            door,
            caller,
            lines,
            ..
        } = self;
        let (settings, policies) = (door.setup.settings(), &door.setup.policies);
        let target = Target::of(parts, settings).map_err(Stopped::Path)?;
        let facts = target.facts(parts, None, policies);
        let matched = matched(policies, parts, &facts);
        if matched.is_exempt() || facts::is_preflight(parts) {
            return Ok(Front::Uncounted);
        }
        match door.identify(parts, caller, lines) {
            Finding::Found => {}
            Finding::Stopped(stopped) => return Err(stopped),
            Finding::Waits => return Ok(Front::Waits(Waits::Identity)),
        }
        let needs_body = policies.needs_body(&matched, caller, door.place);
        Ok(Front::Waits(match needs_body {
            true => Waits::Body,
            false => Waits::Store,
        }))
    }

    /// Waits for what has to be waited for, and puts the charges to the stores.
    pub(super) async fn judge_after(
        &mut self,
        parts: &Parts,
        waits: Waits,
        body: Option<&[u8]>,
        how: How,
    ) -> Result<Judgement, Stopped> {
        let waits = match waits {
            Waits::Identity => self.find_out(parts).await?,
            waits => waits,
        };
        let asking = match waits {
            Waits::Body => Asking::With(body.unwrap_or_default()),
            _ => Asking::Without,
        };
        self.judge(parts, asking, how).await
    }

    /// Puts the charges of a request's descriptors to the stores.
    pub(super) async fn judge_descriptors(&mut self, charges: &Charges<'_>) -> Judgement {
        let Self {
            door,
            lines,
            receipts,
            ..
        } = self;
        let put = Put {
            sums: true,
            ..door.put(charges, How::Take)
        };
        let mut taking = Taking::new(new_lines(lines, charges), receipts);
        taking.put_to(put, door.setup.immediate).await;
        taking.judgement()
    }

    /// Puts charges to the stores that no request brought.
    pub(super) async fn judge_named(&mut self, charges: &Charges<'_>, how: How) -> Judgement {
        let Self {
            door,
            lines,
            receipts,
            ..
        } = self;
        let mut taking = Taking::new(new_lines(lines, charges), receipts);
        let put = door.put(charges, how);
        taking.put_to(put, door.setup.immediate).await;
        taking.judgement()
    }
}

/// A policy that sets its own cost counts the request once.
const fn several(planned: &mut PlannedCharge<'_>, times: u64) {
    if let (None, Planned::Charge(charge)) = (planned.policy.cost, &mut planned.planned) {
        charge.cost = charge.cost.saturating_mul(times);
    }
}

/// Adds a line for each charge; these lines.
fn new_lines<'l>(lines: &'l mut Lines, charges: &Charges<'_>) -> &'l mut [Line] {
    let before = lines.len();
    for planned in &charges.planned {
        lines.push(Line::of(planned));
    }
    lines.get_mut(before..).unwrap_or_default()
}

/// Goes on where nothing stops.
fn stop(stopped: Option<Stopped>) -> Result<(), Stopped> {
    stopped.map_or(Ok(()), Err)
}

/// The same at the cost that whoever asks for a decision told.
fn vouched_cost<'r, 'a>(parts: &Parts, reckoning: Reckoning<'r, 'a>) -> Reckoning<'r, 'a> {
    match parts.extensions.get::<Vouched>().and_then(|said| said.cost) {
        Some(cost) => reckoning.at_cost(cost),
        None => reckoning,
    }
}
