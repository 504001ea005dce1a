//! What GraphQL requests cost.

#![cfg(feature = "graphql")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "tests"
)]

mod hostile;
mod ibm;
mod introspection;
mod model;
mod persisted;
mod requests;
mod shapes;

use aforo_policy::graphql::{Cost, Fault, Gauge, Operation, Weights};

/// What a query costs.
fn cost_of(gauge: &Gauge, query: &str) -> Result<Cost, Fault> {
    gauge.operations(&[Operation::of_query(query)])
}

/// Field and type cost in whole units, of a query that has both.
fn both(gauge: &Gauge, query: &str) -> (u64, u64) {
    let cost = cost_of(gauge, query).unwrap_or_else(|fault| panic!("{query}: {fault}"));
    assert_eq!((cost.field % 1_000, cost.types % 1_000), (0, 0), "{query}");
    (cost.field / 1_000, cost.types / 1_000)
}

/// What a JSON body costs.
fn body_costs(gauge: &Gauge, body: &str) -> Result<u64, Fault> {
    let operations = Operation::of_json(body.as_bytes())?;
    gauge.operations(&operations).map(|cost| cost.units)
}

/// A gauge for a schema.
fn typed(sdl: &str) -> Gauge {
    Gauge::default().with_sdl(sdl, Weights::default()).unwrap()
}
