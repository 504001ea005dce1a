//! Requests that are refused before anything is charged, and requests that no code may fall over.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Method};
use proptest::prelude::*;

use super::scene::{
    KEY, NOW, anonymous, consumer, get, group, known, plan, policy, route, with_routes,
};
use crate::{
    Alternatives, BodyFacts, CanonicalPath, Facts, Normalize, Part, Place, Policy, PolicySet,
    Refusal, Route, Settings, WhenMissing,
};

#[test]
fn a_route_for_other_plans_says_which() {
    let reserved = Route {
        plans: vec!["pro".to_owned(), "enterprise".to_owned()],
        ..route("/reports", vec![])
    };
    let set = PolicySet::new(Arc::new(with_routes(vec![reserved])));
    let refusal = Refusal::PlanRequired {
        plans: vec!["pro".to_owned(), "enterprise".to_owned()],
    };
    let pro = known(consumer("acme"), plan("pro", vec![]));
    assert!(get("/reports").charges(&set, &pro).is_ok());
    let free = known(consumer("acme"), plan("free", vec![]));
    assert_eq!(get("/reports").charges(&set, &free).unwrap_err(), refusal);
    assert!(get("/other").charges(&set, &free).is_ok());
    let mut without = anonymous("192.0.2.1", plan("any", vec![]));
    without.plan = None;
    assert_eq!(
        get("/reports").charges(&set, &without).unwrap_err(),
        refusal
    );
}

#[test]
fn a_part_that_is_there_twice_is_refused() {
    let set = PolicySet::new(Arc::new(Settings::default()));
    let refused = |part: Part, request: super::scene::Request| {
        let written = part.to_string();
        let caller = anonymous("192.0.2.1", plan("any", vec![policy("one", &[part])]));
        let refusal = request.charges(&set, &caller).unwrap_err();
        assert_eq!(refusal, Refusal::DuplicatePart { part: written });
    };
    let header = Part::Header(http::HeaderName::from_static("x-a"));
    refused(header, get("/").header("x-a", "1").header("x-a", "1"));
    refused(Part::Query("q".to_owned()), get("/?q=1&%71=1"));
    let cookies = get("/").header("cookie", "s=1").header("cookie", "s=1");
    refused(Part::Cookie("s".to_owned()), cookies);
}

/// A file that reads every part there is.
fn reads_everything(when_missing: WhenMissing) -> PolicySet {
    let parts = [
        Part::Header(http::HeaderName::from_static("x-a")),
        Part::Cookie("a".to_owned()),
        Part::Query("a".to_owned()),
        Part::Path("a".to_owned()),
        Part::Body("/a/0".to_owned()),
        Part::Form("a".to_owned()),
        Part::Host,
        Part::Method,
        Part::Route,
    ];
    let each = parts.iter().enumerate().map(|(at, part)| Policy {
        when_missing,
        normalize: vec![Normalize::Trim, Normalize::Lowercase, Normalize::Nfc],
        ..policy(&format!("p{at}"), std::slice::from_ref(part))
    });
    let either = Policy {
        partition_by: vec![Alternatives(parts.to_vec())],
        ..policy("either", &[])
    };
    let policies: Vec<Policy> = each.chain([either]).collect();
    PolicySet::new(Arc::new(Settings {
        groups: vec![group("/{*a}", policies.clone())],
        ..with_routes(vec![route("/{a}", policies)])
    }))
}

proptest! {
    #[test]
    fn any_request_is_charged_or_refused(
        target in "(/[a-z%/.;+0-9é]{0,12}){0,4}",
        query in proptest::option::of("[a=&+%0-9é;]{0,24}"),
        host in proptest::option::of("[a.:\\[\\]0-9é]{0,12}"),
        method in "[A-Z]{1,8}",
        headers in prop::collection::vec(
            (
                prop::sample::select(vec!["x-a", "cookie", "content-type", "content-encoding"]),
                prop_oneof![
                    any::<Vec<u8>>(),
                    "(a=|;|\"| |application/json|[+/a-z]){0,6}".prop_map(String::into_bytes),
                    Just(b"application/json".to_vec()),
                    Just(b"application/x-www-form-urlencoded".to_vec()),
                ],
            ),
            0..5,
        ),
        body in proptest::option::of(prop_oneof![
            any::<Vec<u8>>(),
            "(\\{|\\}|\\[|\\]|\"a\":|1|,|a=|&|%[0-9A-F]{2}){0,16}".prop_map(String::into_bytes),
        ]),
        skip in any::<bool>(),
    ) {
        let when_missing = if skip { WhenMissing::Skip } else { WhenMissing::Caller };
        let set = reads_everything(when_missing);
        let Ok(path) = CanonicalPath::new(&target, &set.settings().paths) else { return Ok(()) };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                map.append(name, value);
            }
        }
        let method: Method = method.parse().unwrap();
        let facts = Facts {
            method: &method,
            path: &path,
            query: query.as_deref(),
            host: host.as_deref(),
            headers: &map,
            body: body.as_deref().map(|bytes| BodyFacts { bytes }),
        };
        let caller = anonymous("2001:db8::1", plan("anonymous", vec![]));
        let matched = set.matched(&facts);
        let one = set.charges(&facts, &caller, &matched, Place::Gateway, NOW, &KEY);
        // The same request is always counted the same.
        let two = set.charges(&facts, &caller, &set.matched(&facts), Place::Gateway, NOW, &KEY);
        prop_assert_eq!(format!("{one:?}"), format!("{two:?}"));
        for template in ["/{a}", "/x/{*a}", &target] {
            let matched = set.matched_template(&facts, template);
            let _ = set.charges(&facts, &caller, &matched, Place::App, NOW, &KEY);
        }
    }
}
