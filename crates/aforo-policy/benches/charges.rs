//! What it costs to make charges of a request: the raw path to canonical, the route and groups
//! to find, the caller to hash, the policies to gather.
//!
//! Run alone on the machine: `cargo bench -p aforo-policy --bench charges`.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark reads the clock and prints"
)]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use aforo_core::{HashKey, Timestamp};
use aforo_policy::file::Environment;
use aforo_policy::{Caller, CanonicalPath, Credential, Facts, Matched, Place, PolicySet, Settings};
use http::{HeaderMap, Method};

const FILE: &str = r#"
[plans.anonymous]
policies = ["30/minute"]

[plans.pro]
policies = ["1000/minute burst 200", "50000/hour fixed-window"]

[[routes]]
match = "POST /v1/orders/{id}/items"
policies = ["10/minute"]

[[routes]]
match = "/v1/orders/{*rest}"

[[routes]]
match = ["/v1/users/{id}", "/v1/users/me", "/v1/invoices/{id}", "/v2/{*rest}"]

[[consumers]]
id = "acme-production"
plan = "pro"
"#;

const NOW: Timestamp = Timestamp::from_seconds(1_700_000_000);
const KEY: HashKey = HashKey::new([3, 5]);
/// Short rounds, so that many of them are not interrupted.
const REQUESTS: u32 = 500;
const ROUNDS: usize = 2_001;

struct Nothing;

impl Environment for Nothing {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn read(&self, _: &Path) -> std::io::Result<String> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

/// Nanoseconds a request: the median of all rounds, and the fastest tenth of them.
fn nanoseconds(what: &str, mut one: impl FnMut()) {
    let mut rounds = [0.0; ROUNDS];
    for round in &mut rounds {
        let start = Instant::now();
        for _ in 0..REQUESTS {
            one();
        }
        *round = start.elapsed().as_secs_f64() * 1e9 / f64::from(REQUESTS);
    }
    rounds.sort_by(f64::total_cmp);
    let at = |place: usize| rounds.get(place).copied().unwrap_or(f64::NAN);
    println!(
        "{what:28}{:8.1} ns{:8.1} ns",
        at(ROUNDS / 2),
        at(ROUNDS / 10)
    );
}

fn main() {
    let settings = Settings::parse("aforo.toml", FILE, &Nothing).unwrap();
    let set = PolicySet::new(Arc::new(settings));
    let consumer = set
        .settings()
        .consumers
        .get("acme-production")
        .cloned()
        .unwrap();
    let caller = Caller {
        plan: consumer.plan.clone(),
        consumer: Some(consumer),
        credential: Credential::Verified,
        ..Caller::stranger("198.51.100.7".parse().unwrap())
    };
    let (headers, method) = (HeaderMap::new(), Method::POST);
    let raw = "/v1/orders/1f3870be/items";
    let paths = &set.settings().paths;
    let path = CanonicalPath::new(raw, paths).unwrap();
    let facts = Facts {
        method: &method,
        path: &path,
        query: Some("page=1"),
        host: Some("api.example.org"),
        headers: &headers,
        body: None,
    };
    let matched: Matched<'_> = set.matched(&facts);

    println!("{:28}{:>11}{:>11}", "", "median", "tenth");
    nanoseconds("(one hash, to compare)", || {
        black_box(KEY.hash(black_box(b"c\x0facme-production")));
    });
    nanoseconds("canonical path", || {
        black_box(CanonicalPath::new(black_box(raw), paths).is_ok());
    });
    nanoseconds("route and groups", || {
        black_box(set.matched(black_box(&facts)).route.is_some());
    });
    nanoseconds("charges (plan 2, route 1)", || {
        let facts = black_box(&facts);
        let charges = set.charges(facts, &caller, &matched, Place::Gateway, NOW, &KEY);
        black_box(charges.is_ok_and(|charges| charges.planned.len() == 3));
    });
}
