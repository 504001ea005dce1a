//! Requests around queries: JSON bodies, batches, parameters.

use aforo_policy::graphql::{Fault, Gauge, Operation};

use super::body_costs;

#[test]
fn a_batch_costs_the_sum_and_each_operation_at_least_1() {
    let gauge = Gauge::default();
    let one = r#"{"query": "{ hero { n } }"}"#;
    assert_eq!(body_costs(&gauge, one), Ok(2));
    let batch = format!("[{}]", [one; 20].join(", "));
    assert_eq!(body_costs(&gauge, &batch), Ok(40));
    let typename = r#"{"query": "{ __typename }"}"#;
    let batch = format!(" \n[{}]", [typename; 20].join(","));
    assert_eq!(body_costs(&gauge, &batch), Ok(20));
    assert_eq!(body_costs(&gauge, "[]"), Ok(1));
}

#[test]
fn what_readers_may_read_differently_is_refused() {
    let gauge = Gauge::default();
    for body in [
        r#"{"query": "{ a }", "query": "{ b }"}"#,
        r#"{"query": "{ a }", "Query": "{ b }"}"#,
        r#"{"QUERY": "{ a }"}"#,
        r#"{"query": "{ a }", "variable\u017f": {"n": 1}}"#,
        r#"{"query": "{ a }", "variables": {"n": 1, "n": 1000}}"#,
        r#"{"query": "{ a }", "variables": {"f": {"n": 1, "n": 1000}}}"#,
        r#"{"query": "{ a }", "variables": [1]}"#,
        r#"{"query": "{ a }", "variables": "{}"}"#,
        r#"{"query": ["{ a }"]}"#,
        r#"{"query": "{ a }"} {"query": "{ b }"}"#,
        r#"[{"query": "{ a }"}"#,
        r#"[[{"query": "{ a }"}]]"#,
        r#""{ a }""#,
        "{ a }",
        "",
        "\u{feff}{\"query\": \"{ a }\"}",
    ] {
        let found = body_costs(&gauge, body);
        assert!(
            matches!(found, Err(Fault::Malformed(_))),
            "{body}: {found:?}"
        );
    }
    let latin = Operation::of_json(b"{\"query\": \"{ a(b: \\\"\xe9\\\") }\"}");
    assert_eq!(latin.unwrap_err(), Fault::MediaType);
}

#[test]
fn other_members_say_nothing() {
    let gauge = Gauge::default();
    let body = r#"{"operationName": null, "query": "{\n  a {\n b }}", "variables": null,
                   "extensions": {"clientLibrary": {"name": "x"}}, "debug": {"a": 1, "a": 2}}"#;
    assert_eq!(body_costs(&gauge, body), Ok(2));
}

#[test]
fn a_query_may_stand_in_the_parameters() {
    let costs = |parameters: &str| {
        let operation = Operation::of_parameters(parameters)?;
        let operations: Vec<_> = operation.into_iter().collect();
        Gauge::default()
            .operations(&operations)
            .map(|cost| cost.units)
    };
    assert_eq!(costs("query=%7B+a(first:5)%7Bb%7D%7D"), Ok(6));
    assert_eq!(
        costs("query=query($n:Int)%7Ba(first:$n)%7Bb%7D%7D&variables=%7B%22n%22:7%7D"),
        Ok(8)
    );
    assert_eq!(costs("q%75ery=%7Ba%7D"), Ok(1));
    assert_eq!(
        costs(""),
        Ok(1),
        "nothing is asked, say by a browser for the page"
    );
    assert_eq!(costs("query="), Ok(1));
    for wrong in [
        "query=%7Ba%7D&query=%7Bb%7D",
        "query=%7Ba%7D&q%75ery=%7Bb%7D",
        "query=%7Ba%7D&variables=1",
        "query=%7Ba%7D&variables=%7B",
        "query=%7Ba%7D&variables=%7B%22n%22:1,%22n%22:2%7D",
        "query=%FF",
    ] {
        assert!(costs(wrong).is_err(), "{wrong}");
    }
    for (parameters, says) in [
        ("operationName=A", false),
        ("a=b", false),
        ("query=", true),
        ("vari%61bles=%7B%7D", true),
        ("id=4&id=5", true),
    ] {
        assert_eq!(
            Operation::is_in_parameters(parameters),
            says,
            "{parameters}"
        );
    }
}
