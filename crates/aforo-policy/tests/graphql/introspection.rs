//! Queries for the schema itself.

use aforo_policy::graphql::{Fault, Gauge, Introspection};

use super::cost_of;

/// What tools send, in short: types, their fields, the fields' arguments, and the types of all.
const TOOL: &str = "
    query Tool { __schema { queryType { name } types { ...T } directives { name args { ...I } } } }
    fragment T on __Type {
        kind name
        fields(includeDeprecated: true) { name args { ...I } type { ...R } }
        inputFields { ...I } interfaces { ...R } enumValues { name } possibleTypes { ...R }
    }
    fragment I on __InputValue { name type { ...R } defaultValue }
    fragment R on __Type {
        kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
        ofType { kind name ofType { kind name ofType { kind name } } } } } } }
    }";

#[test]
fn what_tools_send_passes_at_any_depth_and_costs_what_it_says() {
    let gauge = Gauge::default().with_max_depth(2);
    let cost = cost_of(&gauge, TOOL).unwrap();
    // 1 Query, __schema, queryType, types, directives, args, type + 7 of I; in T: fields, args,
    // type + 7 of I, type + 7, inputFields, type + 7, interfaces + 7, enumValues, possibleTypes + 7.
    assert_eq!(
        cost.types,
        (1 + 6 + 7 + (2 + 8 + 8 + 9 + 8 + 1 + 8)) * 1_000
    );
    assert_eq!(cost.depth, 1);
}

#[test]
fn it_may_not_go_in_circles() {
    let gauge = Gauge::default();
    let twice = "{ __type(name: \"A\") { fields { type { fields { type { name } } } } } }";
    assert!(cost_of(&gauge, twice).is_ok());
    let thrice = "{ __schema { types { fields { type { possibleTypes { ...F } } } } } }
        fragment F on __Type { interfaces { name } }";
    assert_eq!(cost_of(&gauge, thrice), Err(Fault::IntrospectionCircle));
}

#[test]
fn it_can_be_refused() {
    let gauge = Gauge::default().with_introspection(Introspection::Deny);
    for query in [
        TOOL,
        "{ a: __schema { types { name } } }",
        "{ ...F } fragment F on Query { __type(name: \"A\") { name } }",
    ] {
        let fault = cost_of(&gauge, query).unwrap_err();
        assert_eq!(
            (fault.code(), fault.status()),
            ("INTROSPECTION_REFUSED", 403)
        );
    }
    assert!(cost_of(&gauge, "{ __typename a { __typename } }").is_ok());
}
