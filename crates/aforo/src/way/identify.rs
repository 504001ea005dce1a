//! The consumer of a request at the door.

use std::net::IpAddr;
use std::sync::Arc;

use ::http::request::Parts;
use aforo_core::{Charge, Mode, Principal, Terms};
use aforo_policy::{Anonymous, Caller, Counted, Credential, OnLookupFailure};
use aforo_store::{Receipt, Store};
use smallvec::SmallVec;

use super::Stopped;
use super::door::Door;
use crate::KnownConsumer;
use crate::at_once::at_once;
use crate::decide::Vouched;
use crate::identity::{
    ClientCertificate, Identified, KeyOwner, Question, Search, Step, Subject, Told, View, Who,
    prefix,
};
use crate::taking::{Line, Lines, Measure};

/// How a request's consumer is found.
pub(super) enum Finding {
    /// It is found, or it is nobody, and the request goes on.
    Found,
    /// The request does not go on.
    Stopped(Stopped),
    /// Somebody has to be asked.
    Waits,
}

/// A unit of the failed credentials of an address, taken before its key is asked for.
struct Reserved(Receipt);

impl Door {
    /// Finds the consumer, where nobody has to be asked.
    pub(super) fn identify(
        &self,
        parts: &Parts,
        caller: &mut Caller,
        lines: &mut Lines,
    ) -> Finding {
        let who = match self.step(parts, &[]) {
            Step::Done(who) => who,
            Step::Ask(_) => return Finding::Waits,
        };
        self.watch(parts, &who.identified);
        match self.settle_on(who, None, caller, lines) {
            Some(stopped) => Finding::Stopped(stopped),
            None => Finding::Found,
        }
    }

    /// Finds the consumer, asking whoever may know it. A key that was never seen costs its address
    /// a failed credential until it turns out to be somebody's.
    pub(super) async fn find_out(
        &self,
        parts: &Parts,
        caller: &mut Caller,
        lines: &mut Lines,
    ) -> Option<Stopped> {
        let mut told: SmallVec<[Told; 1]> = SmallVec::new();
        let mut reserved = None;
        loop {
            let question = match self.step(parts, &told) {
                Step::Done(who) => {
                    self.watch(parts, &who.identified);
                    return self.settle_on(who, reserved, caller, lines);
                }
                Step::Ask(question) => question,
            };
            let never_seen = matches!(question, Question::Directory { reserves: true, .. });
            if never_seen && reserved.is_none() {
                match self.reserve(lines) {
                    Ok(taken) => reserved = taken,
                    Err(stopped) => {
                        self.watch(parts, &Identified::Unrecognised);
                        caller.credential = Credential::Unrecognised;
                        caller.plan = self.setup.settings().plans.get("anonymous").cloned();
                        return Some(stopped);
                    }
                }
            }
            told.push(self.ask(question).await);
        }
    }

    async fn ask(&self, question: Question) -> Told {
        let sources = &self.setup.sources;
        match question {
            Question::Directory { subject, hash, .. } => {
                let is_key = matches!(subject, Subject::Key(_));
                let answer = match &sources.directory {
                    Some(directory) => directory.ask(subject, &hash, &self.view()).await,
                    None => Ok(None),
                };
                let answer = match answer {
                    Ok(Some(owner)) => KeyOwner::Known(owner),
                    Ok(None) => KeyOwner::Nobody,
                    Err(_) => KeyOwner::Unanswered,
                };
                match is_key {
                    true => Told::Key { hash, answer },
                    false => Told::Id { hash, answer },
                }
            }
            Question::TokenKeys => {
                if let Some(tokens) = &sources.tokens {
                    tokens.fetch().await;
                }
                Told::TokenKeys
            }
        }
    }

    /// The next step to the consumer: whom the asker of a decision or the application knows, else by
    /// the request's credentials.
    fn step(&self, parts: &Parts, told: &[Told]) -> Step {
        let search = self.search(parts);
        let known = vouched_consumer(parts).map(Some);
        let identified = || {
            self.fixed()
                .identify
                .as_ref()
                .map(|identify| identify(parts))
        };
        match known.or_else(identified) {
            Some(Some(known)) => search.known(known, self.setup.settings(), told),
            Some(None) => Step::Done(Who::of(Identified::Absent)),
            None => search.step(told),
        }
    }

    fn search<'a>(&'a self, parts: &'a Parts) -> Search<'a> {
        let sources = &self.setup.sources;
        let (directory, tokens) = (sources.directory.as_ref(), sources.tokens.as_ref());
        let certificate = parts.extensions.get::<ClientCertificate>();
        Search {
            headers: &parts.headers,
            certificate: certificate.map(|certificate| (certificate, self.now)),
            peer_trusted: self.client.is_some_and(|client| client.peer_trusted),
            identity: &self.setup.settings().identity,
            api_keys: &sources.api_keys,
            directory: directory.map(|directory| (&**directory, self.view())),
            tokens: tokens.map(|tokens| (&**tokens, self.view())),
        }
    }

    fn view(&self) -> View<'_> {
        View {
            settings: self.setup.settings(),
            generation: self.setup.generation,
            now: self.now,
        }
    }

    /// Makes the caller who was found, or an anonymous one.
    fn settle_on(
        &self,
        who: Who,
        reserved: Option<Reserved>,
        caller: &mut Caller,
        lines: &mut Lines,
    ) -> Option<Stopped> {
        let settings = self.setup.settings();
        caller.credential = who.identified.credential();
        let failed = caller.credential == Credential::Unrecognised;
        let counted = reserved.is_some();
        if let (false, Some(reserved)) = (failed, reserved) {
            lines.pop();
            self.give_back(reserved);
        }
        if let Identified::Verified(consumer) = who.identified {
            let default = settings.identity.default_plan.as_ref();
            caller.plan = consumer
                .plan
                .clone()
                .or_else(|| default.and_then(|name| settings.plans.get(name).cloned()));
            caller.consumer = Some(consumer);
            caller.api_key = who.api_key;
            caller.claims = who.claims;
            return None;
        }
        caller.plan = settings.plans.get("anonymous").cloned();
        if failed && !counted && self.has_failed_too_often(lines) {
            return Some(Stopped::Exceeded);
        }
        let denied = settings.identity.anonymous == Anonymous::Deny;
        if caller.credential == Credential::Unverified {
            let on_failure = settings.identity.lookups.on_failure;
            return (denied || on_failure == OnLookupFailure::Deny).then_some(Stopped::Unverified);
        }
        denied.then_some(Stopped::Anonymous)
    }

    /// Counts a credential that verified nobody. Where nobody is known by a credential, one is the
    /// application's own business.
    fn has_failed_too_often(&self, lines: &mut Lines) -> bool {
        let known = self.setup.sources.know_anybody(self.setup.settings());
        known && self.reserve(lines).is_err()
    }

    /// Takes a unit of the failed credentials of the client's address.
    fn reserve(&self, lines: &mut Lines) -> Result<Option<Reserved>, Stopped> {
        let fixed = self.fixed();
        let (Some(terms), Some(client)) = (&fixed.failed_credentials, self.client) else {
            return Ok(None);
        };
        let prefix = prefix(client.address, self.setup.settings().identity.ipv6_prefix);
        let octets = match prefix {
            IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
            IpAddr::V6(address) => address.octets(),
        };
        let hash = fixed.key.hash(&octets);
        let charge = Charge::new(terms, Principal::stranger(hash), 1);
        let mut line = undisclosed(terms);
        let receipt = self.charge_alone(&charge, &mut line);
        fixed.observer.judged(&line.judged());
        let denied = line.is_violated();
        lines.push(line);
        if denied {
            return Err(Stopped::Exceeded);
        }
        Ok(Some(Reserved(receipt)))
    }

    fn give_back(&self, Reserved(receipt): Reserved) {
        if !receipt.lines().is_empty() {
            at_once(self.fixed().edge.refund(receipt));
        }
    }
}

/// The consumer that whoever asks for a decision has verified.
fn vouched_consumer(parts: &Parts) -> Option<KnownConsumer> {
    parts.extensions.get::<Vouched>()?.consumer.clone()
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
        share: None,
        aside: false,
    }
}
