//! `[graphql]`.

use aforo_policy::CostFrom;
use aforo_policy::file::Finding;
use aforo_policy::graphql::{Gauge, Operation};

use super::Surroundings;

const ROUTE: &str = "\n[[routes]]\nmatch = \"/graphql\"\ncost_from = { graphql = true }\n";
const SDL: &str = "type User { name: String @cost(weight: \"2\") } type Query { user: User }";

fn surroundings() -> Surroundings {
    Surroundings::default()
        .file("conf/schema.graphql", SDL)
        .file("conf/broken.graphql", "type Query {\n a: Nothing }")
        .file("conf/queries.json", r#"{"known": "{ a(first: 7) { b } }"}"#)
        .file("conf/list.json", "[]")
}

fn costs(table: &str, body: &str) -> u64 {
    let settings = surroundings().parse(&format!("{table}{ROUTE}")).unwrap();
    let Some(CostFrom::GraphQl { gauge, .. }) = &settings.routes[0].cost_from else {
        panic!("the route takes GraphQL");
    };
    let gauge: &Gauge = gauge;
    let operations = Operation::of_json(body.as_bytes()).unwrap();
    gauge.operations(&operations).unwrap().units
}

fn findings(text: &str) -> Vec<Finding> {
    let error = surroundings().parse(text).unwrap_err();
    error.findings().to_vec()
}

#[test]
fn a_route_takes_graphql_with_or_without_a_table() {
    let body = r#"{"query": "{ user(limit: 3) { name } }"}"#;
    assert_eq!(costs("", body), 4);
    let typed = "[graphql]\nsdl = \"schema.graphql\"\n";
    assert_eq!(
        costs(typed, body),
        3,
        "a user is no list, and a name weighs 2"
    );
    assert_eq!(costs("[graphql]\nlist_arguments = [\"n\"]\n", body), 2);
    let weights = "[graphql]\nweights = { \"Query.user\" = 2.5, name = 1 }\n";
    assert_eq!(
        costs(weights, r#"{"query": "{ user { name } }"}"#),
        4,
        "3.5, rounded up"
    );
}

#[test]
fn persisted_queries_cost_what_their_text_or_the_file_says() {
    let known = r#"{"id": "known"}"#;
    let unknown = r#"{"id": "unknown"}"#;
    let table = "[graphql]\npersisted = \"queries.json\"\n";
    assert_eq!(costs(table, known), 8);
    assert_eq!(costs(table, unknown), 10);
    assert_eq!(
        costs("[graphql]\nmax_cost = 50\n", unknown),
        50,
        "the most that may be"
    );
    assert_eq!(
        costs("[graphql]\nmax_cost = 50\npersisted_cost = 4\n", unknown),
        4
    );
}

#[test]
fn mistakes_are_told_at_their_place() {
    for (table, line, column, message) in [
        ("max_depth = 0", 2, 13, "0 lets nothing through"),
        ("max_cost = -1", 2, 12, "found the integer -1"),
        (
            "weights = { a = -1 }",
            2,
            17,
            "a weight is a number from 0 to 1000000",
        ),
        ("weights = { a = \"1\" }", 2, 17, "found the string \"1\""),
        (
            "weights = { \"User.name\" = 1 }",
            2,
            13,
            "without `sdl`, fields are known by Query, Mutation, Subscription, or their name alone",
        ),
        (
            "sdl = \"schema.graphql\"\nweights = { \"User.nam\" = 1 }",
            3,
            13,
            "the schema of `sdl` has no `User.nam`",
        ),
        (
            "sdl = \"missing.graphql\"",
            2,
            7,
            "`missing.graphql` cannot be read: entity not found",
        ),
        ("measure = \"fields\"", 2, 11, "found \"fields\""),
        ("depth = 4", 2, 1, "unknown field `depth`"),
    ] {
        let found = findings(&format!("[graphql]\n{table}{ROUTE}"));
        assert_eq!(found.len(), 1, "{table}: {found:?}");
        let one = &found[0];
        assert_eq!(
            (one.line, one.column, one.message.as_str()),
            (line, column, message),
            "{table}"
        );
    }
    let broken = findings(&format!("[graphql]\nsdl = \"broken.graphql\"{ROUTE}"));
    assert!(
        broken[0]
            .message
            .starts_with("`broken.graphql` cannot be used: line 2"),
        "{broken:?}"
    );
    let list = findings(&format!("[graphql]\npersisted = [\"list.json\"]{ROUTE}"));
    assert!(
        list[0].message.starts_with("`list.json` is neither"),
        "{list:?}"
    );
}

#[test]
fn a_table_without_a_route_and_a_route_that_says_more_are_mistakes() {
    let unused = findings("[graphql]\nmax_depth = 5\n");
    assert_eq!(unused[0].message, "no route takes GraphQL requests");
    let both = findings(
        "[[routes]]\nmatch = \"/g\"\ncost_from = { graphql = true, query = \"n\", max = 2 }",
    );
    assert_eq!(both[0].message, "a cost is read from one place");
    let items =
        findings("[[routes]]\nmatch = \"/g\"\ncost_from = { graphql = true, per_item = 2 }");
    assert_eq!(
        items[0].message,
        "`per_item` means nothing beside `graphql`"
    );
    let off = findings("[[routes]]\nmatch = \"/g\"\ncost_from = { graphql = false }");
    assert_eq!(off[0].message, "a cost that is not read from the query");
}
