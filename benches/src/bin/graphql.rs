//! What it takes to tell the cost of a GraphQL request of 2 kB.
#![allow(clippy::print_stdout, reason = "rows go to standard output")]

use std::hint::black_box;

use aforo_benches::row::{Row, Target};
use aforo_benches::series::Series;
use aforo_benches::{Failure, cpu};
use aforo_policy::graphql::{Gauge, Operation, Weights};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const ROUNDS: usize = 15;

/// Requests in a round.
const REQUESTS: u32 = 2_000;

/// The most bytes of the query.
const SIZE: usize = 2_048;

const SDL: &str = r#"
    type Query {
        viewer: User
        repositories(first: Int, after: String): RepositoryConnection
            @listSize(slicingArguments: ["first"], sizedFields: ["edges", "nodes"])
    }
    type User { id: ID  login: String  name: String  email: String @cost(weight: "0.5")  url: String }
    type RepositoryConnection { edges: [RepositoryEdge]  nodes: [Repository]  pageInfo: PageInfo }
    type RepositoryEdge { cursor: String  node: Repository }
    type PageInfo { endCursor: String  hasNextPage: Boolean }
    type Repository {
        id: ID  name: String  description: String  url: String  owner: User  forkCount: Int
        issues(first: Int, states: [String]): IssueConnection
            @listSize(slicingArguments: ["first"], sizedFields: ["nodes"])
    }
    type IssueConnection { nodes: [Issue]  totalCount: Int @cost(weight: "2") }
    type Issue { id: ID  title: String  body: String  author: User  number: Int  closed: Boolean }
"#;

const FRAGMENTS: &str = "
fragment UserFields on User { id login name email url }
fragment IssueFields on Issue { id title body number closed author { ...UserFields } }
fragment RepositoryFields on Repository {
  id name description url forkCount
  owner { ...UserFields }
  issues(first: $issues, states: [\"OPEN\", \"CLOSED\"]) { totalCount nodes { ...IssueFields } }
}";

/// Aliases of one field until the query has its size.
fn query() -> String {
    let mut query =
        "query Overview($repositories: Int = 20, $issues: Int!) {\n  viewer { ...UserFields }\n"
            .to_owned();
    let mut number = 0_u32;
    loop {
        let one = format!(
            "  page{number}: repositories(first: $repositories, after: \"cursor-{number}\") {{\n    \
             edges {{ cursor node {{ ...RepositoryFields }} }}\n    \
             pageInfo {{ endCursor hasNextPage }}\n  }}\n"
        );
        let length = query.len().saturating_add(one.len());
        if length.saturating_add(FRAGMENTS.len()) > SIZE {
            break;
        }
        query.push_str(&one);
        number = number.saturating_add(1);
    }
    format!("{query}}}{FRAGMENTS}")
}

fn main() -> Result<(), Failure> {
    let query = query();
    let body = serde_json::json!({
        "operationName": "Overview", "query": query, "variables": { "issues": 10 },
    });
    let body = serde_json::to_vec(&body)?;
    let typed = Gauge::default().with_sdl(SDL, Weights::default())?;
    for (how, gauge) in [("by shape", Gauge::default()), ("by schema", typed)] {
        let micros = measured(&gauge, &body)?;
        let row = Row {
            what: format!("graphql: cost of a query of {} bytes, {how}", query.len()),
            ours: format!("{micros:.1} µs"),
            theirs: String::new(),
            figure: format!("{micros:.1} µs"),
            value: micros,
            target: Target::AtMost(30.0),
        };
        println!("{row}");
    }
    Ok(())
}

/// Microseconds for one request, the median of all rounds.
fn measured(gauge: &Gauge, body: &[u8]) -> Result<f64, Failure> {
    let right = units(gauge, body)?;
    if right < 1_000 {
        return Err(format!("a cost of {right}: the pages do not count").into());
    }
    let mut series = Series::default();
    for _ in 0..ROUNDS {
        let mut wrong = 0_u32;
        let spent = cpu::spent(|| {
            for _ in 0..REQUESTS {
                if units(gauge, black_box(body)).ok() != Some(right) {
                    wrong = wrong.saturating_add(1);
                }
            }
        });
        if wrong > 0 {
            return Err("one request had two costs".into());
        }
        series.push(spent.as_secs_f64() * 1e6 / f64::from(REQUESTS));
    }
    Ok(series.median())
}

fn units(gauge: &Gauge, body: &[u8]) -> Result<u64, Failure> {
    let operations = Operation::of_json(body)?;
    Ok(gauge.operations(&operations)?.units)
}
