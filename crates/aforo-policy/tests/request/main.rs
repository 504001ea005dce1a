//! From the text of a file and a request to charges.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod allocations;
mod calendars;
mod contract;

use std::path::Path;
use std::sync::Arc;

use aforo_core::{Charge, HashKey, Timestamp};
use aforo_policy::file::Environment;
use aforo_policy::{
    BodyFacts, Caller, CanonicalPath, Credential, Facts, Place, Planned, PolicySet, Refusal,
    Settings,
};
use http::{HeaderMap, HeaderName, Method};

const KEY: HashKey = HashKey::new([3, 5]);
const NOW: Timestamp = Timestamp::from_seconds(1_700_000_000);

/// A place without variables and files.
struct Nothing;

impl Environment for Nothing {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn read(&self, _: &Path) -> std::io::Result<String> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn set(text: &str) -> PolicySet {
    let settings = Settings::parse("aforo.toml", text, &Nothing);
    PolicySet::new(Arc::new(settings.unwrap_or_else(|error| panic!("{error}"))))
}

fn anonymous(set: &PolicySet) -> Caller {
    Caller {
        plan: set.settings().plans.get("anonymous").cloned(),
        ..Caller::stranger("198.51.100.7".parse().unwrap())
    }
}

fn consumer(set: &PolicySet, id: &str) -> Caller {
    let consumer = set.settings().consumers.get(id).cloned().unwrap();
    Caller {
        plan: consumer.plan.clone(),
        consumer: Some(consumer),
        credential: Credential::Verified,
        ..anonymous(set)
    }
}

/// A request and its parts.
struct Request<'r> {
    method: Method,
    path: &'r str,
    headers: HeaderMap,
    body: Option<&'r [u8]>,
}

fn request(method: Method, path: &str) -> Request<'_> {
    Request {
        method,
        path,
        headers: HeaderMap::new(),
        body: None,
    }
}

impl<'r> Request<'r> {
    fn header(mut self, name: &'static str, value: &'static str) -> Self {
        let value = value.parse().unwrap();
        self.headers.append(HeaderName::from_static(name), value);
        self
    }

    fn body(self, media: &'static str, body: &'r str) -> Self {
        Self {
            body: Some(body.as_bytes()),
            ..self.header("content-type", media)
        }
    }

    /// The charges, shown to `look`.
    fn charges<T>(
        &self,
        set: &PolicySet,
        caller: &Caller,
        now: Timestamp,
        look: impl FnOnce(&[Charge<'_>]) -> T,
    ) -> Result<T, Refusal> {
        let path = CanonicalPath::new(self.path, &set.settings().paths).unwrap();
        let facts = Facts {
            method: &self.method,
            path: &path,
            query: None,
            host: None,
            headers: &self.headers,
            body: self.body.map(|bytes| BodyFacts { bytes }),
        };
        let matched = set.matched(&facts);
        let charges = set.charges(&facts, caller, &matched, Place::Gateway, now, &KEY)?;
        let charges = charges.planned.iter().map(|one| match one.planned {
            Planned::Charge(charge) => charge,
            Planned::Blocked => panic!("{} blocks", one.policy.name),
        });
        let charges: Vec<Charge<'_>> = charges.collect();
        Ok(look(&charges))
    }

    /// The names of the policies with their costs.
    fn costs(&self, set: &PolicySet, caller: &Caller) -> Vec<(String, u64)> {
        let costs = |charges: &[Charge<'_>]| {
            let cost = |charge: &Charge<'_>| (charge.terms.name().to_string(), charge.cost);
            charges.iter().map(cost).collect()
        };
        self.charges(set, caller, NOW, costs).unwrap()
    }

    fn partitions(&self, set: &PolicySet, caller: &Caller) -> Vec<u128> {
        let hashes = |charges: &[Charge<'_>]| charges.iter().map(|one| one.partition.0).collect();
        self.charges(set, caller, NOW, hashes).unwrap()
    }
}
