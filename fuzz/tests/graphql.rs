//! GraphQL requests: never panics, stays within its bounds, and costs the same however fragments
//! cut it.

use aforo_policy::graphql::{Fault, Gauge, Operation, Weights};

const TOKENS: [&str; 40] = [
    "{",
    "}",
    "{a",
    "a ",
    "b:a",
    "users",
    "edges",
    "nodes",
    "node",
    "(first:2)",
    "(first:$n)",
    "(last:-1)",
    "(filter:{max:3})",
    "(",
    ")",
    "[",
    "]",
    ":",
    "!",
    "$n",
    "\"x\"",
    "\"\"\"",
    "\\u00",
    "...",
    "...F ",
    "...G ",
    "... on User{",
    "...{",
    "} fragment F on User{",
    "} fragment G on Query{",
    "} query Q($n:Int=3){",
    "} mutation{",
    "@skip(if:true)",
    "@include(if:$n)",
    "@approx(tolerance:1)",
    "__schema{",
    "fields{",
    "__typename ",
    "1.5",
    "#\n",
];

const SDL: &str = r#"
    directive @approx(tolerance: Int @cost(weight: "-1")) on FIELD
    input Filter { max: Int = 4  name: String @cost(weight: "2") }
    type User { a: Int  b: Int  users(first: Int): [User] }
    type Edge { node: User }
    type Connection { edges: [Edge]  nodes: [User] }
    type Query {
        a: User
        b: [[User]]
        users(first: Int, last: Int, filter: Filter): Connection
            @listSize(slicingArguments: ["first", "filter.max"], sizedFields: ["edges", "nodes"],
                      requireOneSlicingArgument: false)
    }
"#;

fn gauges() -> [Gauge; 2] {
    let typed = Gauge::default().with_sdl(SDL, Weights::default());
    [Gauge::default(), typed.unwrap_or_default()]
}

/// What a query costs: units and depth.
fn cost(gauge: &Gauge, text: &str) -> Result<(u64, u32), Fault> {
    let cost = gauge.operations(&[Operation::of_query(text)])?;
    Ok((cost.units, cost.depth))
}

#[test]
fn graphql_costs_are_bounded_and_the_same_behind_a_fragment() {
    let gauges = gauges();
    bolero::check!()
        .with_test_time(aforo_fuzz::budget())
        .for_each(|bytes: &[u8]| {
            let body = aforo_fuzz::sentence(&TOKENS, bytes);
            let direct = format!("{{ {body} }}");
            let behind = format!("{{ ...W }} fragment W on Query {{ {body} }}");
            for gauge in &gauges {
                let found = cost(gauge, &direct);
                if let Ok((units, depth)) = found {
                    assert!((1..=1 << 50).contains(&units), "{direct}: {units}");
                    assert!(depth <= 100, "{direct}: {depth}");
                    let twice = gauge
                        .operations(&[Operation::of_query(&direct), Operation::of_query(&direct)]);
                    let sum = units.saturating_mul(2).min(1 << 50);
                    assert_eq!(twice.map(|cost| cost.units).ok(), Some(sum), "{direct}");
                    match cost(gauge, &behind) {
                        Err(Fault::TooLarge { .. }) => {}
                        other => assert_eq!(other, found, "{direct}"),
                    }
                }
            }
            let _ = Operation::of_json(bytes);
            if let Ok(text) = std::str::from_utf8(bytes) {
                let _ = Operation::of_parameters(text);
                let _ = gauges.first().map(|gauge| cost(gauge, text));
            }
        });
}
