//! What each part of a partition key is.

use std::sync::Arc;

use aforo_core::PrincipalKind;
use http::HeaderName;

use super::scene::{
    KEY, NOW, anonymous, charge, consumer, get, group, hashed, known, of_address, plan, policy,
    route, with_routes,
};
use crate::{Part, Place, PolicySet, Settings, Team};

fn set(settings: Settings) -> PolicySet {
    PolicySet::new(Arc::new(settings))
}

fn header(name: &'static str) -> Part {
    Part::Header(HeaderName::from_static(name))
}

#[test]
fn a_route_counts_by_its_template_and_methods() {
    let parts = [Part::Caller, Part::Route];
    let set = set(with_routes(vec![
        route("GET /users/{id}", vec![policy("users", &parts)]),
        route("PUT|POST /users/{id}", vec![policy("users", &parts)]),
    ]));
    let caller = known(consumer("acme"), plan("pro", vec![]));
    let read = hashed(b"c\x04acmer\x0fGET /users/{id}");
    assert_eq!(get("/users/7").partition(&set, &caller), read);
    assert_eq!(get("/users/8").partition(&set, &caller), read);
    assert_eq!(
        get("/users/8").method("HEAD").partition(&set, &caller),
        read
    );
    let write = hashed(b"c\x04acmer\x14POST|PUT /users/{id}");
    assert_eq!(
        get("/users/7").method("PUT").partition(&set, &caller),
        write
    );
}

#[test]
fn unknown_routes_of_a_caller_share_a_counter() {
    let set = set(with_routes(vec![route("/a", vec![])]));
    let caller = known(
        consumer("acme"),
        plan(
            "pro",
            vec![policy("routes", &[Part::Consumer, Part::Route])],
        ),
    );
    let unknown = get("/no/1").partition(&set, &caller);
    assert_eq!(get("/no/2").partition(&set, &caller), unknown);
    assert_ne!(get("/a").partition(&set, &caller), unknown);
}

#[test]
fn a_template_that_only_the_router_knows_is_counted_by() {
    let set = set(Settings::default());
    let caller = known(
        consumer("acme"),
        plan("pro", vec![policy("routes", &[Part::Route])]),
    );
    let partition = |target: &str, template: &str| {
        get(target).ask(&set, |facts| {
            let matched = set.matched_template(facts, template);
            let charges = set
                .charges(facts, &caller, &matched, Place::App, NOW, &KEY)
                .unwrap();
            let charge = charge(&charges.planned[0].planned);
            (charge.partition.0, charge.principal.kind)
        })
    };
    let users = (hashed(b"r\x0b/users/{id}"), PrincipalKind::Known);
    assert_eq!(partition("/users/7", "/users/{id}"), users);
    assert_eq!(partition("/users/8", "/users/{id}"), users);
}

#[test]
fn path_parameters_are_read_by_the_templates_that_match() {
    let by = |name: &str| policy(name, &[Part::Path(name.to_owned())]);
    let set = set(Settings {
        groups: vec![group("/v1/{tenant}/{*rest}", vec![by("tenant")])],
        ..with_routes(vec![route(
            "/v1/{t}/users/{id}",
            vec![by("id"), by("none")],
        )])
    });
    let caller = anonymous("192.0.2.1", plan("anonymous", vec![by("id")]));
    let value = |text: &str| hashed(&[&[b'v', text.len() as u8], text.as_bytes()].concat());
    let counted = get("/v1/acme/users/caf%c3%a9").counted(&set, &caller);
    let expected = [
        ("id".to_owned(), value("caf\u{e9}")),
        ("tenant".to_owned(), value("acme")),
        ("id".to_owned(), value("caf\u{e9}")),
        ("none".to_owned(), of_address("192.0.2.1")),
    ];
    assert_eq!(counted, expected);
}

#[test]
fn parts_of_the_request_are_read_where_they_stand() {
    let set = set(Settings::default());
    let partition = |part: Part, request: super::scene::Request| {
        let caller = anonymous("192.0.2.1", plan("anonymous", vec![policy("one", &[part])]));
        request.partition(&set, &caller)
    };
    let query = Part::Query("q".to_owned());
    assert_eq!(partition(query, get("/?a=1&q=%61+b")), hashed(b"v\x03a b"));
    let cookie = get("/").header("cookie", "a=1; s=\"x\"");
    assert_eq!(
        partition(Part::Cookie("s".to_owned()), cookie),
        hashed(b"v\x01x")
    );
    let host = get("/").host("API.example.org:80");
    assert_eq!(partition(Part::Host, host), hashed(b"h\x0fapi.example.org"));
    assert_eq!(partition(Part::Everyone, get("/")), hashed(b"e\x00"));
    assert_eq!(
        partition(Part::Method, get("/").method("HEAD")),
        hashed(b"m\x03GET")
    );
    let made_up = ["X1", "X2"].map(|name| partition(Part::Method, get("/").method(name)));
    assert_eq!(made_up, [hashed(b"m\x05other"); 2]);
}

#[test]
fn parts_of_the_caller_are_the_verified_ones() {
    let set = set(Settings::default());
    let full = || crate::Consumer {
        team: Some(Arc::new(Team {
            name: "blue".to_owned(),
            policies: vec![],
        })),
        org: Some("umbrella".to_owned()),
        ..consumer("acme")
    };
    let partition = |part: Part| {
        let caller = known(full(), plan("pro", vec![policy("one", &[part])]));
        let charges = get("/").charges(&set, &caller).unwrap();
        let charge = charge(&charges.planned[0].planned);
        (charge.partition.0, charge.principal.kind)
    };
    let known = PrincipalKind::Known;
    assert_eq!(partition(Part::Caller), (hashed(b"c\x04acme"), known));
    assert_eq!(partition(Part::Consumer), (hashed(b"c\x04acme"), known));
    assert_eq!(partition(Part::Team), (hashed(b"t\x04blue"), known));
    assert_eq!(partition(Part::Org), (hashed(b"o\x08umbrella"), known));
    let address = (of_address("198.51.100.7"), PrincipalKind::Stranger);
    assert_eq!(partition(Part::ClientIp(None)), address);
}

#[test]
fn a_counter_bears_a_consumers_name_when_it_is_one_consumers() {
    let set = set(Settings::default());
    let of = |parts: &[Part]| {
        let team = Team {
            name: "blue".to_owned(),
            policies: vec![],
        };
        let consumer = crate::Consumer {
            team: Some(Arc::new(team)),
            org: Some("umbrella".to_owned()),
            ..consumer("acme")
        };
        let caller = known(consumer, plan("pro", vec![policy("one", parts)]));
        let charges = get("/").charges(&set, &caller).unwrap();
        let subject = charge(&charges.planned[0].planned).subject;
        subject.map(str::to_owned)
    };
    let acme = Some("acme".to_owned());
    for parts in [
        &[][..],
        &[Part::Caller],
        &[Part::Consumer],
        &[Part::Team, Part::Consumer],
    ] {
        assert_eq!(of(parts), acme, "{parts:?}");
    }
    for part in [Part::Team, Part::Org, Part::Everyone, Part::ClientIp(None)] {
        assert_eq!(of(std::slice::from_ref(&part)), None, "{part:?}");
    }
}

#[test]
fn the_first_part_is_the_principal() {
    let set = set(Settings::default());
    let parts = [Part::ClientIp(None), header("x-a")];
    let caller = anonymous("192.0.2.1", plan("anonymous", vec![policy("one", &parts)]));
    let request = get("/").header("x-a", "b");
    let charges = request.charges(&set, &caller).unwrap();
    let charge = charge(&charges.planned[0].planned);
    assert_eq!(charge.principal.hash.0, of_address("192.0.2.1"));
    assert_eq!(charge.principal.kind, PrincipalKind::Stranger);
    assert_eq!(charge.partition.0, hashed(b"a\x04\xc0\x00\x02\x01v\x01b"));
    assert_eq!(charge.subject, None);
}

#[test]
fn an_ipv6_caller_counts_by_its_prefix() {
    let mut settings = Settings::default();
    settings.identity.ipv6_prefix = 56;
    let set = set(settings);
    let partition = |address: &str, part: Part| {
        let caller = anonymous(address, plan("anonymous", vec![policy("one", &[part])]));
        get("/").partition(&set, &caller)
    };
    let caller = |address| partition(address, Part::Caller);
    assert_eq!(caller("2001:db8:0:1::1"), caller("2001:db8:0:ff::2"));
    assert_ne!(caller("2001:db8:0:1::1"), caller("2001:db8:0:100::1"));
    let wide = |address| partition(address, Part::ClientIp(Some(48)));
    assert_eq!(wide("2001:db8:0:1::1"), wide("2001:db8:0:ffff::1"));
    assert_eq!(caller("::ffff:192.0.2.1"), of_address("192.0.2.1"));
}
