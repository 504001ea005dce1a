//! Which route and which groups apply.

mod model;

use std::sync::Arc;

use http::Method;

use super::{MatchPlace, Routing, route_conflicts};
use crate::{CanonicalPath, Group, Methods, Paths, Route, Settings, Template, TrailingSlash};

/// A match as the file writes it.
fn parsed(text: &str) -> (Methods, Template) {
    let (methods, template) = match text.split_once(' ') {
        None => (Methods::Any, text),
        Some((methods, template)) => {
            let methods = methods.split('|').map(|name| name.parse().unwrap());
            (Methods::Only(methods.collect()), template)
        }
    };
    (methods, Template::parse(template).unwrap())
}

fn route(matches: &[&str]) -> Arc<Route> {
    Arc::new(Route {
        matches: matches.iter().map(|text| parsed(text)).collect(),
        cost: 1,
        cost_from: None,
        policies: Vec::new(),
        exempt: false,
        plans: Vec::new(),
    })
}

fn group(matches: &[&str]) -> Group {
    Group {
        matches: matches.iter().map(|text| parsed(text)).collect(),
        policies: Vec::new(),
    }
}

fn settings(routes: &[&str], groups: &[&[&str]], paths: Paths) -> Settings {
    Settings {
        routes: routes.iter().map(|one| route(&[one])).collect(),
        groups: groups.iter().map(|matches| group(matches)).collect(),
        paths,
        ..Settings::default()
    }
}

/// The template of the route that applies.
fn found(settings: &Settings, method: &str, raw: &str) -> Option<String> {
    let routing = Routing::new(settings);
    let path = CanonicalPath::new(raw, &settings.paths).unwrap();
    let method: Method = method.parse().unwrap();
    let matched = routing.of_path(settings, path.matched(), &method);
    assert_eq!(matched.route.is_some(), matched.template.is_some());
    matched.template.map(ToString::to_string)
}

#[test]
fn the_most_specific_route_applies() {
    let settings = settings(
        &[
            "/{*path}",
            "/{a}/b",
            "/x/{c}",
            "/x/b",
            "/x/{*rest}",
            "/users/me",
            "/users/{id}",
        ],
        &[],
        Paths::default(),
    );
    for (path, template) in [
        ("/x/b", "/x/b"),
        ("/x/c", "/x/{c}"),
        ("/y/b", "/{a}/b"),
        ("/x", "/x/{*rest}"),
        ("/x/", "/x/{*rest}"),
        ("/x/c/d", "/x/{*rest}"),
        ("/y/c", "/{*path}"),
        ("/y/b/c", "/{*path}"),
        ("/", "/{*path}"),
        ("/users/me", "/users/me"),
        ("/users/7", "/users/{id}"),
        ("/users/", "/{*path}"),
        ("*", "/{*path}"),
    ] {
        assert_eq!(
            found(&settings, "GET", path).as_deref(),
            Some(template),
            "{path}"
        );
    }
}

#[test]
fn a_literal_that_leads_nowhere_is_left_again() {
    let settings = settings(&["/a/b/c", "/a/{x}/d", "/{y}/b/e"], &[], Paths::default());
    assert_eq!(
        found(&settings, "GET", "/a/b/d").as_deref(),
        Some("/a/{x}/d")
    );
    assert_eq!(
        found(&settings, "GET", "/a/b/e").as_deref(),
        Some("/{y}/b/e")
    );
    assert_eq!(found(&settings, "GET", "/a/b/f"), None);
}

#[test]
fn methods_come_after_the_template() {
    let settings = settings(
        &["POST /orders", "/orders", "GET /{x}", "PUT /orders/{id}"],
        &[],
        Paths::default(),
    );
    let routing = Routing::new(&settings);
    let owner = |method: Method, path: &str| {
        let matched = routing.of_path(&settings, path, &method);
        let route = matched.route?;
        settings
            .routes
            .iter()
            .position(|one| Arc::ptr_eq(one, route))
    };
    assert_eq!(owner(Method::POST, "/orders"), Some(0));
    assert_eq!(owner(Method::PUT, "/orders"), Some(1));
    assert_eq!(owner(Method::GET, "/orders"), Some(1));
    assert_eq!(owner(Method::GET, "/other"), Some(2));
    assert_eq!(owner(Method::POST, "/other"), None);
    assert_eq!(owner(Method::GET, "/orders/7"), None);
}

#[test]
fn head_counts_as_get() {
    let settings = settings(&["GET /a", "HEAD /b"], &[], Paths::default());
    assert_eq!(found(&settings, "HEAD", "/a").as_deref(), Some("/a"));
    assert_eq!(found(&settings, "HEAD", "/b").as_deref(), Some("/b"));
    assert_eq!(found(&settings, "GET", "/b"), None);
}

#[test]
fn rl_08_a_spelled_path_has_the_same_route() {
    let settings = settings(&["POST /api/login"], &[], Paths::default());
    for raw in [
        "//api/login",
        "/api//login",
        "/./api/login",
        "/x/../api/login",
    ] {
        assert_eq!(
            found(&settings, "POST", raw).as_deref(),
            Some("/api/login"),
            "{raw}"
        );
    }
}

#[test]
fn rl_27_case_and_trailing_slash_lead_to_the_same_route_when_ignored() {
    let ignoring = Paths {
        case_sensitive: false,
        trailing_slash: TrailingSlash::Ignore,
        ..Paths::default()
    };
    let folded = settings(&["/Lang/{id}/"], &[], ignoring);
    let strict = settings(&["/Lang/{id}/"], &[], Paths::default());
    for raw in ["/lang/7", "/LANG/7", "/lang/7/", "/Lang/7/"] {
        assert_eq!(
            found(&folded, "GET", raw).as_deref(),
            Some("/Lang/{id}/"),
            "{raw}"
        );
    }
    assert_eq!(
        found(&strict, "GET", "/Lang/7/").as_deref(),
        Some("/Lang/{id}/")
    );
    assert_eq!(found(&strict, "GET", "/Lang/7"), None);
    assert_eq!(found(&strict, "GET", "/lang/7/"), None);
}

#[test]
fn a_literal_is_matched_in_any_encoding() {
    let settings = settings(&["/caf\u{e9}/%40me", "/a:b"], &[], Paths::default());
    for raw in ["/caf%c3%a9/@me", "/caf\u{e9}/%40me", "/caf%C3%A9/@m%65"] {
        assert!(found(&settings, "GET", raw).is_some(), "{raw}");
    }
    assert!(found(&settings, "GET", "/a%3Ab").is_some());
}

#[test]
fn every_group_that_matches_applies_once() {
    let settings = settings(
        &[],
        &[
            &["/{*all}"],
            &["POST|PUT /v1/{*rest}", "/v1/a"],
            &["/v2/{*rest}"],
            &["/v1/{x}"],
        ],
        Paths::default(),
    );
    let routing = Routing::new(&settings);
    let groups = |method: Method, path: &str| -> Vec<String> {
        let matched = routing.of_path(&settings, path, &method);
        assert_eq!(matched.groups.len(), matched.group_templates.len());
        let templates = matched.group_templates.iter();
        templates.map(ToString::to_string).collect()
    };
    assert_eq!(
        groups(Method::POST, "/v1/a"),
        ["/{*all}", "/v1/a", "/v1/{x}"]
    );
    assert_eq!(
        groups(Method::GET, "/v1/a"),
        ["/{*all}", "/v1/a", "/v1/{x}"]
    );
    assert_eq!(groups(Method::PUT, "/v1/b/c"), ["/{*all}", "/v1/{*rest}"]);
    assert_eq!(groups(Method::GET, "/v3"), ["/{*all}"]);
}

#[test]
fn a_routers_template_stands_in_for_a_stripped_path() {
    let settings = settings(
        &["/api/users/{id}", "/api/users/me", "/{*path}"],
        &[&["/api/{*rest}"]],
        Paths::default(),
    );
    let routing = Routing::new(&settings);
    let matched = |path, template| {
        let matched = routing.of_template(&settings, path, template, &Method::GET);
        (
            matched.template.map(ToString::to_string).unwrap(),
            matched.groups.len(),
            matched.fits_path,
        )
    };
    let users = "/api/users/{id}".to_owned();
    assert_eq!(
        matched("/users/7", "/api/users/{id}"),
        (users.clone(), 1, false)
    );
    assert_eq!(matched("/api/users/7", "/api/users/{id}"), (users, 1, true));
    // The file knows a more specific route than the router does.
    let me = "/api/users/me".to_owned();
    assert_eq!(matched("/api/users/me", "/api/users/{id}"), (me, 1, true));
}

#[test]
fn routes_of_which_none_is_more_specific_are_found() {
    let conflicts = |routes: &[Arc<Route>], paths: &Paths| -> Vec<[(usize, usize); 2]> {
        let place = |place: MatchPlace| (place.route, place.at);
        let found = route_conflicts(routes, paths);
        found
            .iter()
            .map(|one| [place(one.first), place(one.second)])
            .collect()
    };
    let strict = Paths::default();
    let ignoring = Paths {
        case_sensitive: false,
        trailing_slash: TrailingSlash::Ignore,
        ..Paths::default()
    };
    let clash = |one: &str, other: &str, paths: &Paths| {
        !conflicts(&[route(&[one]), route(&[other])], paths).is_empty()
    };
    assert!(clash("/a/{x}", "/a/{y}", &strict));
    assert!(clash("/a/{*x}", "/a/{*y}", &strict));
    assert!(clash("GET|POST /a", "POST /a", &strict));
    assert!(clash("GET /a", "HEAD /a", &strict));
    assert!(clash("HEAD /a", "GET /a", &strict));
    assert!(clash("/%61:", "/a%3A", &strict));
    assert!(!clash("GET /a", "POST /a", &strict));
    assert!(!clash("GET /a", "/a", &strict));
    assert!(!clash("/a/{x}", "/a/{*y}", &strict));
    assert!(!clash("/a", "/A", &strict));
    assert!(!clash("/a", "/a/", &strict));
    assert!(clash("/a", "/A", &ignoring));
    assert!(clash("/a", "/a/", &ignoring));

    let routes = [
        route(&["/a", "/b/{x}"]),
        route(&["/c"]),
        route(&["/d", "/b/{y}"]),
    ];
    assert_eq!(conflicts(&routes, &strict), [[(0, 1), (2, 1)]]);
}

#[test]
fn a_long_path_costs_no_more_than_its_length() {
    // Each level offers a literal and a parameter, and no path ends well: without a bound by the
    // table's size, the ways would double with every segment.
    let deep: String = "/a".repeat(24);
    let mixed: Vec<String> = (0..24)
        .map(|at| format!("{}/{{x{at}}}{}/end", "/a".repeat(at), "/a".repeat(23 - at)))
        .collect();
    let mut routes: Vec<&str> = mixed.iter().map(String::as_str).collect();
    let literal = format!("{deep}/end");
    routes.push(&literal);
    let settings = settings(&routes, &[], Paths::default());
    let routing = Routing::new(&settings);
    let path = format!("{deep}/no{}", "/a".repeat(100_000));
    for _ in 0..100 {
        let matched = routing.of_path(&settings, &path, &Method::GET);
        assert!(matched.route.is_none());
    }
}
