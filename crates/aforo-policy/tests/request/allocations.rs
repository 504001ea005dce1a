//! The way of a usual request allocates nothing.

use aforo_policy::{CanonicalPath, Facts, Place, PolicySet};
use allocation_counter::{AllocationInfo, measure};
use http::{HeaderMap, Method};

use super::{KEY, NOW, anonymous, consumer, request, set};

const FILE: &str = r#"
[plans.anonymous]
policies = ["30/minute"]

[plans.pro]
policies = ["1000/minute burst 200", "1000000/month"]

[[groups]]
match = "POST|PUT /{*path}"
policies = [{ name = "writes", quota = "100/minute" }]

[[routes]]
match = "POST /v1/orders/{id}/items"
policies = ["10/minute"]

[[routes]]
match = "/v1/orders/{*rest}"

[[consumers]]
id = "3f2a1b4c-5d6e-4f70-8192-a3b4c5d6e7f8"
plan = "pro"
"#;

/// What is allocated from the raw path to the charges.
fn allocated(set: &PolicySet, caller: &aforo_policy::Caller, raw: &str) -> AllocationInfo {
    let (headers, method) = (HeaderMap::new(), Method::POST);
    let way = || {
        let path = CanonicalPath::new(raw, &set.settings().paths).unwrap();
        let facts = Facts {
            method: &method,
            path: &path,
            query: Some("a=1"),
            host: Some("api.example.org"),
            headers: &headers,
            body: None,
        };
        let matched = set.matched(&facts);
        let charges = set.charges(&facts, caller, &matched, Place::Gateway, NOW, &KEY);
        assert!(!charges.unwrap().planned.is_empty());
    };
    // The first request computes the calendar's edges.
    way();
    measure(way)
}

#[test]
fn a_consumers_request_allocates_nothing() {
    let set = set(FILE);
    let acme = consumer(&set, "3f2a1b4c-5d6e-4f70-8192-a3b4c5d6e7f8");
    let raw = "/v1/orders/%C3%A9%20-17/items";
    let order = request(Method::POST, raw);
    let expected = [
        "pro-minute",
        "pro-month",
        "writes",
        "post-v1-orders-id-items-minute",
    ];
    let names: Vec<String> = order
        .costs(&set, &acme)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, expected);
    let counted = allocated(&set, &acme, raw);
    assert_eq!(counted.count_total, 0, "{counted:?}");
}

#[test]
fn a_strangers_request_allocates_nothing() {
    let set = set(FILE);
    let counted = allocated(&set, &anonymous(&set), "/nobody/knows/this");
    assert_eq!(counted.count_total, 0, "{counted:?}");
}

#[test]
fn a_spelled_path_allocates_only_its_canonical_form() {
    let set = set(FILE);
    let counted = allocated(&set, &anonymous(&set), "//v1/./orders/7");
    assert_eq!(counted.count_total, 1, "{counted:?}");
}
