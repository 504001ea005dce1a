//! Costs that are read from the request.

use std::sync::Arc;

use aforo_core::Mode;

use super::scene::{Request, anonymous, charge, get, plan, policy, post, route, with_routes};
use crate::{Caller, CostFrom, Part, Policy, PolicySet, Refusal, Route};

const JSON: &str = "application/json";

fn per_caller(name: &str) -> Policy {
    policy(name, &[Part::Caller])
}

fn set(cost_from: CostFrom, policies: Vec<Policy>) -> PolicySet {
    let bulk = Route {
        cost_from: Some(cost_from),
        ..route("/bulk", policies)
    };
    PolicySet::new(Arc::new(with_routes(vec![bulk])))
}

fn orders(per_item: u64, max: Option<u64>) -> CostFrom {
    CostFrom::BodyItems {
        pointer: "/orders".to_owned(),
        per_item,
        max,
    }
}

fn stranger() -> Caller {
    anonymous("192.0.2.1", plan("anonymous", vec![]))
}

fn cost(request: &Request, set: &PolicySet) -> Result<u64, Refusal> {
    let caller = stranger();
    let charges = request.charges(set, &caller)?;
    Ok(charge(&charges.planned[0].planned).cost)
}

#[test]
fn the_items_of_an_array_in_the_body_cost() {
    let plain = set(orders(1, None), vec![per_caller("orders")]);
    let of = |body: &str| cost(&post("/bulk", JSON, body), &plain);
    assert_eq!(of(r#"{"orders":[1,{"a":[1,2,3]},[4,5]],"x":1}"#), Ok(3));
    assert_eq!(of(r#"{"orders":[7]}"#), Ok(1));
    for one in [r#"{"orders":[]}"#, "{}", r#"{"orders":null}"#, "7", ""] {
        assert_eq!(of(one), Ok(1), "{one}");
    }
    let dear = set(orders(3, Some(4)), vec![per_caller("orders")]);
    let of = |body: &str| cost(&post("/bulk", JSON, body), &dear);
    assert_eq!(of(r#"{"orders":[1,2]}"#), Ok(6));
    assert_eq!(of(r#"{"orders":[1,2,3,4,5]}"#), Ok(12));
    assert_eq!(of("{}"), Ok(3));
    let whole = CostFrom::BodyItems {
        pointer: String::new(),
        per_item: 1,
        max: None,
    };
    let whole = set(whole, vec![per_caller("orders")]);
    assert_eq!(cost(&post("/bulk", JSON, "[1,2,3]"), &whole), Ok(3));
}

#[test]
fn a_body_whose_items_cannot_be_counted_is_refused() {
    let set = set(orders(1, None), vec![per_caller("orders")]);
    let of = |media: &str, body: &str| cost(&post("/bulk", media, body), &set).unwrap_err();
    let unreadable = Refusal::UnreadableBody {
        expected: "application/json with an array at \"/orders\"".to_owned(),
    };
    let twice = Refusal::DuplicatePart {
        part: "body:/orders".to_owned(),
    };
    assert_eq!(of(JSON, r#"{"orders":[1],"orders":[1,2,3]}"#), twice);
    for body in [
        r#"{"orders":{"0":1,"1":2}}"#,
        r#"{"orders":"1,2,3"}"#,
        r#"{"orders":[1,2"#,
        "orders=1",
    ] {
        assert_eq!(of(JSON, body), unreadable, "{body}");
    }
    let form = "application/x-www-form-urlencoded";
    assert_eq!(of(form, "orders=1&orders=2"), unreadable);
    assert_eq!(of("application/json; charset=utf-16", "{}"), unreadable);
}

#[test]
fn a_body_is_read_only_for_policies_that_take_its_cost() {
    let counting_requests = Policy {
        cost: Some(1),
        ..per_caller("requests")
    };
    let caller = stranger();
    let request = post("/bulk", "text/plain", "no list");
    let requests = set(orders(1, None), vec![counting_requests]);
    assert!(!request.needs_body(&requests, &caller));
    assert_eq!(cost(&request, &requests), Ok(1));
    let units = set(orders(1, None), vec![per_caller("units")]);
    assert!(request.needs_body(&units, &caller));
    assert!(!post("/other", JSON, "{}").needs_body(&units, &caller));
    let header = CostFrom::ResponseHeader {
        name: http::HeaderName::from_static("x-cost"),
        estimate: 7,
    };
    let header = set(header, vec![per_caller("units")]);
    assert!(!request.needs_body(&header, &caller));
    assert_eq!(cost(&request, &header), Ok(7));
}

#[test]
fn a_shadow_policy_never_refuses_a_request_for_its_price() {
    let shadow = Policy {
        mode: Mode::Shadow,
        ..per_caller("shadow")
    };
    let set = set(orders(2, None), vec![shadow]);
    assert_eq!(cost(&post("/bulk", JSON, "{"), &set), Ok(2));
    assert_eq!(
        cost(&post("/bulk", JSON, r#"{"orders":[1,2]}"#), &set),
        Ok(4)
    );
}

#[test]
fn a_number_in_the_query_costs() {
    let from = CostFrom::Query {
        name: "limit".to_owned(),
        per_item: 2,
        max: 100,
        default: 20,
    };
    let set = set(from, vec![per_caller("rows")]);
    let of = |target: &str| cost(&get(target), &set);
    assert_eq!(of("/bulk"), Ok(40));
    assert_eq!(of("/bulk?limit=7&x=1"), Ok(14));
    assert_eq!(of("/bulk?%6cimit=7"), Ok(14));
    assert_eq!(of("/bulk?limit=1000000"), Ok(200));
    assert_eq!(of("/bulk?limit=all"), Ok(200));
    assert_eq!(
        of("/bulk?limit=1&limit=100"),
        Err(Refusal::DuplicatePart {
            part: "query:limit".to_owned(),
        })
    );
}
