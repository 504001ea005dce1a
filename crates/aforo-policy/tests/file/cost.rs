//! `cost_from`: what it says and what it is refused with.

use aforo_policy::CostFrom;

use super::{finding, settings};

fn route(line: &str) -> String {
    format!("[[routes]]\nmatch = \"POST /bulk\"\n{line}\n")
}

#[track_caller]
fn cost_from(table: &str) -> CostFrom {
    let settings = settings(&route(&format!("cost_from = {table}")));
    settings.routes[0].cost_from.clone().unwrap()
}

#[test]
fn a_cost_is_read_from_the_body_the_query_or_the_response() {
    assert_eq!(
        cost_from("{ body_items = \"/orders\" }"),
        CostFrom::BodyItems {
            pointer: "/orders".to_owned(),
            per_item: 1,
            max: None,
        }
    );
    assert_eq!(
        cost_from("{ body_items = \"\", per_item = 2, max = 500 }"),
        CostFrom::BodyItems {
            pointer: String::new(),
            per_item: 2,
            max: Some(500),
        }
    );
    assert_eq!(
        cost_from("{ query = \"limit\", max = 100, default = 20 }"),
        CostFrom::Query {
            name: "limit".to_owned(),
            per_item: 1,
            max: 100,
            default: 20,
        }
    );
    assert_eq!(
        cost_from("{ header = \"X-Request-Cost\", estimate = 10 }"),
        CostFrom::ResponseHeader {
            name: http::HeaderName::from_static("x-request-cost"),
            estimate: 10,
        }
    );
    assert_eq!(
        cost_from("{ header = \"x-request-cost\" }").least(),
        1,
        "what a request takes at least"
    );
}

#[test]
fn senseless_costs_are_refused_with_their_place() {
    for (table, refusal) in [
        ("{}", "3:13 `cost_from` names nothing to read the cost from"),
        (
            "{ body_items = \"/a\", query = \"b\", max = 2 }",
            "3:13 a cost is read from one place",
        ),
        (
            "{ body_items = \"orders\" }",
            "3:28 `orders` is not a JSON pointer",
        ),
        (
            "{ body_items = \"/a~2\" }",
            "3:28 `/a~2` is not a JSON pointer",
        ),
        ("{ query = \"limit\" }", "3:23 `query` without `max`"),
        (
            "{ query = \"\", max = 10 }",
            "3:23 a query parameter has a name",
        ),
        (
            "{ query = \"limit\", max = 10, default = 20 }",
            "3:52 20 is more than `max`",
        ),
        (
            "{ header = \"x cost\" }",
            "3:24 `x cost` is not a header's name",
        ),
        (
            "{ header = \"x-cost\", estimate = 0 }",
            "3:45 0 makes requests free",
        ),
        (
            "{ body_items = \"/a\", per_item = 0 }",
            "3:45 0 makes requests free",
        ),
        (
            "{ header = \"x-cost\", max = 5 }",
            "3:40 `max` means nothing beside `header`",
        ),
        (
            "{ body_items = \"/a\", estimate = 5 }",
            "3:45 `estimate` means nothing beside `body_items`",
        ),
        ("{ header = \"x\", per = 2 }", "3:29 unknown field `per`"),
        ("{ query = 5, max = 2 }", "3:23 found the integer 5"),
    ] {
        let text = route(&format!("cost_from = {table}"));
        assert_eq!(finding(&text), refusal, "{table}");
    }
    let both = route("cost = 5\ncost_from = { header = \"x\" }");
    assert_eq!(
        finding(&both),
        "3:8 a route has either `cost` or `cost_from`"
    );
    let exempt = route("exempt = true\ncost_from = { header = \"x\" }");
    assert_eq!(finding(&exempt), "4:13 an exempt route has no `cost_from`");
}
