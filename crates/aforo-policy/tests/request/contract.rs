//! The contract's example, request by request.

use http::Method;

use super::{anonymous, consumer, request, set};
use aforo_policy::{PolicySet, Refusal};

const FILE: &str = r#"
[identity]
default_plan = "free"

[plans.anonymous]
policies = ["30/minute"]

[plans.free]
policies = ["60/minute burst 10", "1000/hour"]

[plans.pro]
policies = ["1000/minute burst 200", "50000/hour fixed-window"]

[policies.writes]
quota = { free = "20/minute", pro = "300/minute", default = "10/minute" }

[policies.login-address]
quota = "20/15min"
partition_by = ["client_ip"]

[policies.login-account]
quota = "5/15min"
partition_by = ["body:/email | form:email"]
normalize = ["trim", "lowercase", "nfc"]
when_missing = "deny"

[[groups]]
match = "POST|PUT|PATCH|DELETE /{*path}"
policies = ["@writes"]

[[routes]]
match = ["POST /login", "POST /reset"]
policies = ["@login-address", "@login-account"]

[[routes]]
match = "POST /orders"
cost = 5
policies = ["10/minute"]

[[routes]]
match = "/healthz"
exempt = true

[[routes]]
match = "/reports/{*path}"
plans = ["pro"]

[[consumers]]
id = "acme"
plan = "pro"
overrides = [{ policy = "pro-minute", quota = "2000/minute burst 400", reason = "launch" }]
"#;

fn named(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
    let own = |(name, cost): &(&str, u64)| ((*name).to_owned(), *cost);
    expected.iter().map(own).collect()
}

fn example() -> PolicySet {
    set(FILE)
}

#[test]
fn an_order_of_a_consumer_costs_five_everywhere() {
    let set = example();
    let order = request(Method::POST, "/orders");
    let expected = [
        ("pro-minute", 5),
        ("pro-hour", 5),
        ("writes", 5),
        ("post-orders-minute", 5),
    ];
    assert_eq!(order.costs(&set, &consumer(&set, "acme")), named(&expected));
    let amounts = order.charges(&set, &consumer(&set, "acme"), super::NOW, |charges| {
        let amount = |charge: &aforo_core::Charge<'_>| charge.terms.quota().amount();
        charges.iter().map(amount).collect::<Vec<u64>>()
    });
    assert_eq!(amounts.unwrap(), [2_000, 50_000, 300, 10]);
}

#[test]
fn a_login_is_counted_by_address_and_account() {
    let set = example();
    let caller = anonymous(&set);
    let json = request(Method::POST, "/login").body("application/json", r#"{"email":" A@x.org"}"#);
    let form = request(Method::POST, "//reset")
        .body("application/x-www-form-urlencoded", "email=a%40X.org");
    let expected = [
        ("anonymous-minute", 1),
        ("writes", 1),
        ("login-address", 1),
        ("login-account", 1),
    ];
    assert_eq!(json.costs(&set, &caller), named(&expected));
    let [json, form] = [json, form].map(|one| one.partitions(&set, &caller));
    assert_eq!(json, form);
    // The address is counted by three policies, the account by the fourth.
    assert_eq!(json[0], json[1]);
    assert_eq!(json[0], json[2]);
    assert_ne!(json[0], json[3]);

    let bare = request(Method::POST, "/login");
    let missing = Refusal::MissingPart {
        policy: "login-account".to_owned(),
        part: "body:/email | form:email".to_owned(),
    };
    assert_eq!(
        bare.charges(&set, &caller, super::NOW, |_| ()),
        Err(missing)
    );
}

#[test]
fn a_probe_is_free_and_reports_are_for_pro() {
    let set = example();
    let acme = consumer(&set, "acme");
    let stranger = anonymous(&set);
    assert_eq!(request(Method::GET, "/healthz").costs(&set, &stranger), []);
    let report = request(Method::GET, "/reports/2026");
    assert_eq!(
        report.costs(&set, &acme),
        named(&[("pro-minute", 1), ("pro-hour", 1)])
    );
    let refusal = Refusal::PlanRequired {
        plans: vec!["pro".to_owned()],
    };
    assert_eq!(
        report.charges(&set, &stranger, super::NOW, |_| ()),
        Err(refusal)
    );
}
