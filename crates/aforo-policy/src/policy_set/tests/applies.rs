//! Which policies apply, in which order, and what they ask for.

use std::sync::Arc;

use aforo_core::{Mode, OnDenial, PrincipalKind};

use super::scene::{
    KEY, NOW, Request, anonymous, charge, consumer, get, group, hashed, known, names, of_address,
    plan, policy, route, shared, with_routes,
};
use crate::{
    Caller, Charges, Consumer, Part, Place, Places, Planned, Policy, PolicySet, Route, Scope,
    Settings, Team,
};

fn set(settings: Settings) -> PolicySet {
    PolicySet::new(Arc::new(settings))
}

fn applied(request: &Request, set: &PolicySet, caller: &Caller) -> Vec<(Scope, String)> {
    names(&request.charges(set, caller).unwrap())
}

fn by_caller(name: &str) -> Policy {
    policy(name, &[Part::Caller])
}

#[test]
fn plan_then_team_then_groups_then_route() {
    let team = Team {
        name: "blue".to_owned(),
        policies: shared(vec![policy("team", &[Part::Team])]),
    };
    let member = Consumer {
        team: Some(Arc::new(team)),
        ..consumer("acme")
    };
    let caller = known(
        member,
        plan("pro", vec![by_caller("pro-1"), by_caller("pro-2")]),
    );
    let set = set(Settings {
        groups: vec![
            group("/v1/{*rest}", vec![by_caller("v1")]),
            group("POST /{*rest}", vec![by_caller("writes")]),
            group("/{*rest}", vec![by_caller("all")]),
        ],
        ..with_routes(vec![route("/v1/a", vec![by_caller("a")])])
    });
    let name = |(scope, name): (Scope, &str)| (scope, name.to_owned());
    let expected = [
        (Scope::Plan, "pro-1"),
        (Scope::Plan, "pro-2"),
        (Scope::Team, "team"),
        (Scope::Group, "v1"),
        (Scope::Group, "all"),
        (Scope::Route, "a"),
    ];
    assert_eq!(applied(&get("/v1/a"), &set, &caller), expected.map(name));
    let charges = get("/v1/a").charges(&set, &caller).unwrap();
    assert_eq!(
        charge(&charges.planned[2].planned).partition.0,
        hashed(b"t\x04blue")
    );
}

#[test]
fn rlx_26_an_unknown_route_is_limited_by_plan_and_groups() {
    let set = set(Settings {
        groups: vec![group("/{*rest}", vec![by_caller("all")])],
        ..with_routes(vec![route("/known", vec![by_caller("known")])])
    });
    let caller = anonymous("192.0.2.1", plan("anonymous", vec![by_caller("minute")]));
    let address = of_address("192.0.2.1");
    let expected = [("minute".to_owned(), address), ("all".to_owned(), address)];
    for target in ["/nope", "/nope/2", "/", "/known/../no", "*"] {
        assert_eq!(get(target).counted(&set, &caller), expected, "{target}");
    }
}

#[test]
fn rl_37_an_exempt_route_is_not_counted_and_its_neighbours_are() {
    let probe = Route {
        exempt: true,
        ..route("/healthz", vec![])
    };
    let set = set(with_routes(vec![probe]));
    let caller = anonymous("192.0.2.1", plan("anonymous", vec![by_caller("minute")]));
    let exempt = |target: &str| get(target).ask(&set, |facts| set.matched(facts).is_exempt());
    assert!(exempt("/healthz"));
    assert_eq!(applied(&get("/healthz"), &set, &caller), []);
    for target in [
        "/healthz/../api",
        "/healthz/",
        "/healthz/a",
        "/Healthz",
        "/healthz;/../a",
    ] {
        assert!(!exempt(target), "{target}");
        assert_eq!(applied(&get(target), &set, &caller).len(), 1, "{target}");
    }
}

#[test]
fn a_policy_applies_where_it_is_enforced() {
    let only_app = Policy {
        at: Places {
            gateway: false,
            app: true,
            decide: false,
        },
        ..by_caller("app")
    };
    let set = set(Settings::default());
    let caller = anonymous("192.0.2.1", plan("anonymous", vec![only_app]));
    let count = |place| applied(&get("/").at(place), &set, &caller).len();
    assert_eq!(
        [Place::Gateway, Place::App, Place::Decide].map(count),
        [0, 1, 0]
    );
}

#[test]
fn a_charge_says_how_it_is_taken() {
    let shadow = Policy {
        mode: Mode::Shadow,
        ..by_caller("shadow")
    };
    let denials = Policy {
        count_denials: true,
        ..by_caller("denials")
    };
    let set = set(Settings::default());
    let caller = anonymous("192.0.2.1", plan("anonymous", vec![shadow, denials]));
    let charges = get("/").charges(&set, &caller).unwrap();
    let how: Vec<(Mode, OnDenial)> = charges
        .planned
        .iter()
        .map(|one| (charge(&one.planned).mode, charge(&one.planned).on_denial))
        .collect();
    let expected = [
        (Mode::Shadow, OnDenial::Keep),
        (Mode::Enforce, OnDenial::Take),
    ];
    assert_eq!(how, expected);
}

#[test]
fn a_routes_cost_is_everybodys_but_for_policies_with_their_own() {
    let counts_requests = Policy {
        cost: Some(1),
        ..by_caller("requests")
    };
    let dear = Route {
        cost: 5,
        ..route("/dear", vec![by_caller("dear")])
    };
    let set = set(with_routes(vec![dear]));
    let caller = anonymous(
        "192.0.2.1",
        plan("anonymous", vec![by_caller("units"), counts_requests]),
    );
    let costs = |target: &str| -> Vec<u64> {
        let charges = get(target).charges(&set, &caller).unwrap();
        let costs = charges.planned.iter().map(|one| charge(&one.planned).cost);
        costs.collect()
    };
    assert_eq!(costs("/dear"), [5, 1, 5]);
    assert_eq!(costs("/other"), [1, 1]);
}

#[test]
fn the_edge_counts_addresses() {
    let mut everyone = policy("everyone", &[Part::Everyone]);
    everyone.when_missing = crate::WhenMissing::Deny;
    let mut unseen = policy("unseen", &[Part::Host]);
    unseen.when_missing = crate::WhenMissing::Deny;
    let edge = vec![
        policy("edge-minute", &[Part::ClientIp(None)]),
        everyone,
        policy("caller", &[Part::Caller]),
        policy("host", &[Part::Host]),
        unseen,
    ];
    let set = set(Settings {
        edge: shared(edge),
        ..Settings::default()
    });
    let address = "192.0.2.1".parse().unwrap();
    let charges = set.edge_charges(address, Place::Gateway, NOW, &KEY);
    let counted: Vec<(Scope, &str, u128)> = charges
        .planned
        .iter()
        .map(|one| {
            (
                one.scope,
                one.policy.name.as_str(),
                charge(&one.planned).partition.0,
            )
        })
        .collect();
    let at = of_address("192.0.2.1");
    let expected = [
        (Scope::Edge, "edge-minute", at),
        (Scope::Edge, "everyone", hashed(b"e\x00")),
        (Scope::Edge, "caller", at),
        (Scope::Edge, "host", at),
    ];
    assert_eq!(counted, expected);
}

#[test]
fn a_policy_is_charged_by_name() {
    let account = Policy {
        normalize: vec![crate::Normalize::Lowercase],
        at: Places {
            gateway: true,
            app: false,
            decide: false,
        },
        ..policy("account", &[Part::Body("/email".to_owned())])
    };
    let fixed = Policy {
        cost: Some(1),
        ..policy("fixed", &[Part::Caller])
    };
    let named = |policy: Policy| (policy.name.to_string(), Arc::new(policy));
    let set = set(Settings {
        policies: [account, fixed].into_iter().map(named).collect(),
        ..Settings::default()
    });
    let by_name = |name: &str, parts: &[&[u8]]| {
        let mut charges = Charges::default();
        set.add_charge_by_name(&mut charges, (name, parts), 3, NOW, &KEY)?;
        let planned = charges.planned.first()?;
        assert_eq!(planned.scope, Scope::Name);
        let charge = charge(&planned.planned);
        Some((charge.partition.0, charge.cost, charge.principal.kind))
    };
    let stranger = PrincipalKind::Stranger;
    assert_eq!(
        by_name("account", &[b"A@x"]),
        Some((hashed(b"v\x03a@x"), 3, stranger))
    );
    assert_eq!(
        by_name("fixed", &[b"A", b"b"]),
        Some((hashed(b"v\x01Av\x01b"), 1, stranger))
    );
    let everyone = Some((hashed(b"e\x00"), 1, PrincipalKind::Known));
    assert_eq!(by_name("fixed", &[]), everyone);
    assert_eq!(by_name("nobody", &[]), None);
}

#[test]
fn quota_zero_blocks_without_a_charge() {
    let blocked = Policy {
        allowance: Some(crate::Allowance::Blocked),
        ..by_caller("blocked")
    };
    let set = set(Settings::default());
    let caller = anonymous("192.0.2.1", plan("anonymous", vec![blocked]));
    let charges = get("/").charges(&set, &caller).unwrap();
    let [one] = charges.planned.as_slice() else {
        panic!("one policy")
    };
    assert!(matches!(one.planned, Planned::Blocked));
}
