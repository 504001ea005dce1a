//! What queries cost without a schema: by their shape.

use aforo_policy::graphql::{Gauge, Operation, Weights};

use super::{body_costs, both, cost_of};

#[test]
fn fields_with_fields_count_and_so_do_those_of_a_root() {
    let gauge = Gauge::default();
    for (query, costs) in [
        ("{ hero { name } }", (1, 2)),
        ("{ hero { name friends { name } } }", (2, 3)),
        ("{ version }", (1, 1)),
        ("mutation { login(user: \"a\") }", (1, 1)),
        ("subscription { ticks { at } }", (1, 2)),
        ("{ __typename }", (0, 1)),
        (
            "{ hero { ... on Droid { parts { id } } ... { parts { id } } } }",
            (3, 4),
        ),
    ] {
        assert_eq!(both(&gauge, query), costs, "{query}");
    }
}

#[test]
fn every_alias_counts() {
    let gauge = Gauge::default();
    let heroes: String = (1..=20).map(|n| format!("a{n}: hero {{ n }} ")).collect();
    assert_eq!(both(&gauge, &format!("{{ {heroes} }}")), (20, 21));
    let logins: String = (1..=20)
        .map(|n| format!("a{n}: login(pin: {n}) "))
        .collect();
    assert_eq!(both(&gauge, &format!("mutation {{ {logins} }}")), (20, 1));
    let hidden = format!("mutation {{ ... {{ ...L }} }} fragment L on TheMutation {{ {logins} }}");
    assert_eq!(
        both(&gauge, &hidden),
        (20, 1),
        "a fragment of the root is the root"
    );
}

#[test]
fn arguments_say_how_many_there_are() {
    let gauge = Gauge::default();
    for (query, types) in [
        ("{ users(first: 5) { name } }", 6),
        ("{ users(first: 5) { posts(last: 3) { id } } }", 1 + 5 + 15),
        ("{ users(limit: \"7\") { name } }", 8),
        ("{ users(take: 2.5) { name } }", 4),
        ("{ users(first: -1) { name } }", 2),
        ("{ users(first: 0) { name } }", 1),
        ("{ users(first: 2, last: 4) { name } }", 5),
        // A connection: one, with five edges and five nodes; a page info.
        (
            "{ users(first: 5) { edges { node { name } } } }",
            1 + 1 + 5 + 5,
        ),
        (
            "{ users(first: 5) { pageInfo { end } nodes { name } } }",
            1 + 1 + 1 + 5,
        ),
        ("{ users { edges { node { name } } } }", 1 + 1 + 10 + 10),
        (
            "{ users(first: 5) { ...E } } fragment E on C { edges { node { name } } }",
            1 + 1 + 5 + 5,
        ),
        (
            "{ users(first: 5) { list: edges { node { name } } } }",
            1 + 1 + 5 + 5,
        ),
    ] {
        assert_eq!(both(&gauge, query).1, types, "{query}");
    }
}

#[test]
fn sizes_come_from_variables_too() {
    let gauge = Gauge::default();
    let query = "query($n: Int = 8) { users(first: $n) { name } }";
    for (variables, units) in [
        ("{}", 9),
        ("null", 9),
        (r#"{"n": 3}"#, 4),
        (r#"{"n": null}"#, 2),
        (r#"{"n": "3"}"#, 4),
        (r#"{"n": 2.5}"#, 4),
        (r#"{"n": 1e3}"#, 1_001),
        (r#"{"n": []}"#, 2),
        (r#"{"m": 3}"#, 9),
    ] {
        let body = format!(r#"{{"query": "{query}", "variables": {variables}}}"#);
        assert_eq!(body_costs(&gauge, &body), Ok(units), "{variables}");
    }
}

#[test]
fn depth_is_of_fields_not_of_fragments() {
    let gauge = Gauge::default();
    let depth = |query| cost_of(&gauge, query).unwrap().depth;
    assert_eq!(depth("{ a }"), 1);
    assert_eq!(depth("{ a { b { c } } d { e } }"), 3);
    assert_eq!(
        depth("{ ... { ... on A { a { ...F } } } } fragment F on B { b { c } }"),
        3
    );
}

#[test]
fn max_depth_and_max_cost_are_the_most_that_passes() {
    let gauge = || Gauge::default().with_max_depth(3).with_max_cost(6);
    assert!(cost_of(&gauge(), "{ a { b { c } } }").is_ok());
    let fault = cost_of(&gauge(), "{ a { b { c { d } } } }").unwrap_err();
    assert_eq!((fault.code(), fault.status()), ("MAX_DEPTH_EXCEEDED", 422));
    assert_eq!(cost_of(&gauge(), "{ a(first: 5) { b } }").unwrap().units, 6);
    let fault = cost_of(&gauge(), "{ a(first: 6) { b } }").unwrap_err();
    assert_eq!((fault.code(), fault.status()), ("MAX_COST_EXCEEDED", 422));
    assert_eq!(
        fault.to_string(),
        "the request costs 7 units, more than the 6 that one may cost"
    );
    let two = [
        Operation::of_query("{ a(first: 5) { b } }"),
        Operation::of_query("{ a }"),
    ];
    let fault = gauge().operations(&two).unwrap_err();
    assert_eq!(fault.code(), "MAX_COST_EXCEEDED", "a batch is one request");
}

#[test]
fn only_literal_conditions_leave_a_field_out() {
    let gauge = Gauge::default();
    for (query, types) in [
        ("{ a @include(if: false) { b } }", 1),
        ("{ a @skip(if: true) { b } }", 1),
        ("{ a @include(if: true) { b } }", 2),
        ("{ a @skip(if: false) { b } }", 2),
        (
            "query($no: Boolean = false) { a @include(if: $no) { b } }",
            2,
        ),
        ("{ ... @skip(if: true) { a { b } } }", 1),
        (
            "{ ...F @include(if: false) } fragment F on Q { a { b } }",
            1,
        ),
        ("{ a @include(if: \"false\") { b } }", 2),
        ("{ a @include(when: false) { b } }", 2),
    ] {
        assert_eq!(both(&gauge, query).1, types, "{query}");
    }
}

#[test]
fn the_dearest_operation_counts_unless_one_is_named() {
    let gauge = Gauge::default();
    let query = "query A { a { b } } query B { a(first: 9) { b } }";
    assert_eq!(cost_of(&gauge, query).unwrap().units, 10);
    for (name, units) in [("A", 2), ("B", 10), ("C", 10)] {
        let body = format!(r#"{{"query": "{query}", "operationName": "{name}"}}"#);
        assert_eq!(body_costs(&gauge, &body), Ok(units), "{name}");
    }
}

#[test]
fn weights_are_of_a_field_a_roots_field_or_all() {
    let mut weights = Weights::default();
    weights.insert("Mutation.login", 5.0).unwrap();
    weights.insert("search", 3.0).unwrap();
    weights.insert("*", 1.0).unwrap();
    let gauge = Gauge::default().with_weights(weights);
    assert_eq!(both(&gauge, "mutation { a: login b: login }").0, 10);
    assert_eq!(both(&gauge, "{ login }").0, 1);
    assert_eq!(both(&gauge, "{ a { search { n } } }").0, 1 + 3 + 1);
    assert!(gauge.check_weight("Mutation.login").is_ok());
    assert!(gauge.check_weight("User.login").is_err());
    let mut weights = Weights::default();
    for wrong in [-1.0, f64::NAN, 1e7] {
        assert!(weights.insert("a", wrong).is_err(), "{wrong}");
    }
}
