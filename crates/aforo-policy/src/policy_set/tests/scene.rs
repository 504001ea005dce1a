//! A file, a caller and a request to put together.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use aforo_core::{Charge, HashKey, Mode, PolicyName, Quota, Span, Terms, Timestamp, Window};
use http::{HeaderMap, HeaderName, HeaderValue, Method};

use crate::{
    Allowance, Alternatives, BodyFacts, Caller, CanonicalPath, Charges, Consumer, Counted,
    Credential, Disclosure, Facts, Group, Metered, Methods, Part, Place, Places, Plan, Planned,
    Policy, PolicySet, Refusal, Route, Scope, Settings, Template, WhenMissing,
};

pub(super) const KEY: HashKey = HashKey::new([7, 11]);
pub(super) const NOW: Timestamp = Timestamp::from_seconds(1_700_000_000);

/// A quota per minute.
pub(super) fn minute(name: &str, amount: u64) -> Allowance {
    let window = Window::Length(Span::from_seconds(60));
    let quota = Quota::fixed_window(amount, window).unwrap();
    Allowance::Metered(Metered {
        terms: Arc::new(Terms::new(PolicyName::new(name).unwrap(), quota)),
        calendar: None,
        max_delay: None,
    })
}

/// A policy of ten a minute.
pub(super) fn policy(name: &str, parts: &[Part]) -> Policy {
    Policy {
        name: PolicyName::new(name).unwrap(),
        allowance: Some(minute(name, 10)),
        by_plan: BTreeMap::new(),
        partition_by: parts
            .iter()
            .map(|part| Alternatives(vec![part.clone()]))
            .collect(),
        normalize: Vec::new(),
        when_missing: WhenMissing::Caller,
        cost: None,
        mode: Mode::Enforce,
        counted: Counted::All,
        count_denials: false,
        disclose: Disclosure::Full,
        store: "default".to_owned(),
        on_store_failure: None,
        precision: crate::Precision::Exact,
        at: Places::default(),
        penalty: None,
        exempt_cookie: None,
        share: None,
        fields: crate::file::QuotaFields::default(),
    }
}

pub(super) fn shared(policies: Vec<Policy>) -> Vec<Arc<Policy>> {
    policies.into_iter().map(Arc::new).collect()
}

pub(super) fn plan(name: &str, policies: Vec<Policy>) -> Plan {
    Plan {
        name: name.to_owned(),
        policies: shared(policies),
        title: None,
        price: None,
        upgrade_url: None,
    }
}

pub(super) fn route(text: &str, policies: Vec<Policy>) -> Route {
    Route {
        matches: vec![matching(text)],
        cost: 1,
        cost_from: None,
        policies: shared(policies),
        exempt: false,
        plans: Vec::new(),
    }
}

pub(super) fn group(text: &str, policies: Vec<Policy>) -> Group {
    Group {
        matches: vec![matching(text)],
        policies: shared(policies),
    }
}

fn matching(text: &str) -> (Methods, Template) {
    let (methods, template) = match text.split_once(' ') {
        None => (Methods::Any, text),
        Some((methods, template)) => {
            let methods = methods.split('|').map(|name| name.parse().unwrap());
            (Methods::Only(methods.collect()), template)
        }
    };
    (methods, Template::parse(template).unwrap())
}

pub(super) fn with_routes(routes: Vec<Route>) -> Settings {
    Settings {
        routes: routes.into_iter().map(Arc::new).collect(),
        ..Settings::default()
    }
}

pub(super) fn anonymous(address: &str, plan: Plan) -> Caller {
    Caller {
        plan: Some(Arc::new(plan)),
        ..Caller::stranger(address.parse().unwrap())
    }
}

pub(super) fn consumer(id: &str) -> Consumer {
    Consumer {
        id: id.to_owned(),
        plan: None,
        team: None,
        org: None,
        contact: None,
        api_key_sha256: Vec::new(),
        overrides: Vec::new(),
    }
}

pub(super) fn known(consumer: Consumer, plan: Plan) -> Caller {
    Caller {
        consumer: Some(Arc::new(consumer)),
        credential: Credential::Verified,
        ..anonymous("198.51.100.7", plan)
    }
}

/// A request in the making.
#[derive(Clone, Debug)]
pub(super) struct Request {
    method: Method,
    target: String,
    host: Option<String>,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
    place: Place,
    now: Timestamp,
}

pub(super) fn get(target: &str) -> Request {
    Request {
        method: Method::GET,
        target: target.to_owned(),
        host: None,
        headers: HeaderMap::new(),
        body: None,
        place: Place::Gateway,
        now: NOW,
    }
}

pub(super) fn post(target: &str, media: &str, body: impl Into<Vec<u8>>) -> Request {
    Request {
        body: Some(body.into()),
        ..get(target)
    }
    .method("POST")
    .header("content-type", media)
}

impl Request {
    pub(super) fn method(mut self, method: &str) -> Self {
        self.method = method.parse().unwrap();
        self
    }

    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        let name: HeaderName = name.parse().unwrap();
        self.headers
            .append(name, HeaderValue::from_str(value).unwrap());
        self
    }

    pub(super) fn host(mut self, host: &str) -> Self {
        self.host = Some(host.to_owned());
        self
    }

    pub(super) fn at(self, place: Place) -> Self {
        Self { place, ..self }
    }

    pub(super) fn when(self, now: Timestamp) -> Self {
        Self { now, ..self }
    }

    /// Shows the facts of this request to a question.
    pub(super) fn ask<T>(&self, set: &PolicySet, ask: impl FnOnce(&Facts<'_>) -> T) -> T {
        let (path, query) = match self.target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (self.target.as_str(), None),
        };
        let path = CanonicalPath::new(path, &set.settings().paths).unwrap();
        ask(&Facts {
            method: &self.method,
            path: &path,
            query,
            host: self.host.as_deref(),
            headers: &self.headers,
            body: self.body.as_deref().map(|bytes| BodyFacts { bytes }),
        })
    }

    pub(super) fn charges<'a>(
        &self,
        set: &'a PolicySet,
        caller: &'a Caller,
    ) -> Result<Charges<'a>, Refusal> {
        self.ask(set, |facts| {
            let matched = set.matched(facts);
            set.charges(facts, caller, &matched, self.place, self.now, &KEY)
        })
    }

    pub(super) fn needs_body(&self, set: &PolicySet, caller: &Caller) -> bool {
        self.ask(set, |facts| {
            set.needs_body(&set.matched(facts), caller, self.place)
        })
    }

    /// Who is counted, policy by policy: a policy's name and the partition.
    pub(super) fn counted(&self, set: &PolicySet, caller: &Caller) -> Vec<(String, u128)> {
        let charges = self.charges(set, caller).unwrap();
        let counted = |one: &crate::PlannedCharge<'_>| {
            (
                one.policy.name.to_string(),
                charge(&one.planned).partition.0,
            )
        };
        charges.planned.iter().map(counted).collect()
    }

    /// The one partition that is counted.
    pub(super) fn partition(&self, set: &PolicySet, caller: &Caller) -> u128 {
        match self.counted(set, caller).as_slice() {
            [(_, partition)] => *partition,
            other => panic!("{other:?}"),
        }
    }
}

pub(super) fn charge<'c, 'a>(planned: &'c Planned<'a>) -> &'c Charge<'a> {
    match planned {
        Planned::Charge(charge) => charge,
        Planned::Blocked => panic!("blocked"),
    }
}

pub(super) fn names(charges: &Charges<'_>) -> Vec<(Scope, String)> {
    let name = |one: &crate::PlannedCharge<'_>| (one.scope, one.policy.name.to_string());
    charges.planned.iter().map(name).collect()
}

/// The hash of parts that were encoded by hand.
pub(super) fn hashed(encoded: &[u8]) -> u128 {
    KEY.hash(encoded).0
}

/// The partition of an IPv4 address.
pub(super) fn of_address(address: &str) -> u128 {
    match address.parse().unwrap() {
        IpAddr::V4(address) => hashed(&[b"a\x04".as_slice(), &address.octets()].concat()),
        IpAddr::V6(_) => panic!("an IPv4 address"),
    }
}
