//! Persisted queries.

use aforo_policy::graphql::{Fault, Gauge, Operation, Registered};

use super::body_costs;

/// SHA-256 of `{ a(first: 5) { b } }`.
const HASH: &str = "1c380414677fe04114ac2c1268adc781e9735c20576645ae9d5ca5292bee0ce7";
const TEXT: &str = "{ a(first: 5) { b } }";

fn by_hash(hash: &str) -> String {
    format!(r#"{{"extensions": {{"persistedQuery": {{"version": 1, "sha256Hash": "{hash}"}}}}}}"#)
}

#[test]
fn a_registered_text_is_costed_and_an_unknown_one_has_a_set_cost() {
    let mut registered = Registered::default();
    registered.insert(TEXT);
    let gauge = Gauge::default()
        .with_registered(registered)
        .with_persisted_cost(25);
    assert_eq!(body_costs(&gauge, &by_hash(HASH)), Ok(6));
    assert_eq!(body_costs(&gauge, &by_hash("00")), Ok(25));
    assert_eq!(body_costs(&gauge, r#"{"documentId": "sha256:00"}"#), Ok(25));
    assert_eq!(
        body_costs(&gauge, r#"{"operationName": "A"}"#),
        Ok(25),
        "whatever it means"
    );
    let parameters = "extensions=%7B%22persistedQuery%22:%7B%22sha256Hash%22:%22HASH%22%7D%7D";
    let operation = Operation::of_parameters(&parameters.replace("HASH", HASH)).unwrap();
    assert_eq!(gauge.operations(&[operation.unwrap()]).unwrap().units, 6);
}

#[test]
fn a_hash_beside_a_query_has_to_be_its_own() {
    let gauge = Gauge::default();
    let with = |hash: &str| by_hash(hash).replacen('{', &format!(r#"{{"query": "{TEXT}", "#), 1);
    assert_eq!(body_costs(&gauge, &with(HASH)), Ok(6));
    let other = body_costs(&gauge, &with("00"));
    assert!(matches!(other, Err(Fault::Malformed(_))), "{other:?}");
}

#[test]
fn lists_of_apollo_and_relay_are_read() {
    let mut registered = Registered::default();
    let manifest = r#"{"format": "apollo-persisted-query-manifest", "version": 1,
        "operations": [{"id": "first", "body": "{ a(first: 5) { b } }", "name": "A", "type": "query"}]}"#;
    registered.read(manifest).unwrap();
    registered
        .read(r#"{"second": "{ a(first: 7) { b } }"}"#)
        .unwrap();
    for wrong in [
        "[]",
        "{",
        r#"{"a": 1}"#,
        r#"{"operations": [{"id": "a"}]}"#,
        r#"{"a":"","a":""}"#,
    ] {
        assert!(registered.read(wrong).is_err(), "{wrong}");
    }
    let gauge = Gauge::default().with_registered(registered);
    for (body, units) in [
        (r#"{"documentId": "first"}"#.to_owned(), 6),
        (r#"{"id": "second"}"#.to_owned(), 8),
        (r#"{"doc_id": 4}"#.to_owned(), 10),
        (by_hash(HASH), 6),
    ] {
        assert_eq!(body_costs(&gauge, &body), Ok(units), "{body}");
    }
}
