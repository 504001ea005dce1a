//! Matches of routes and groups.

use aforo_policy::Methods;
use http::Method;

use super::{finding, findings, help, lines, settings};

#[track_caller]
fn route(value: &str) -> String {
    finding(&format!("[[routes]]\nmatch = \"{value}\"\n"))
}

#[test]
fn matches_have_methods_and_a_path() {
    let settings = settings("[[routes]]\nmatch = [\"GET|PURGE /a/{id}\", \"/b/{*rest}\"]\n");
    let matches = &settings.routes[0].matches;
    let purge = Method::from_bytes(b"PURGE").unwrap();
    assert_eq!(matches[0].0, Methods::Only(vec![Method::GET, purge]));
    assert_eq!(matches[0].1.as_str(), "/a/{id}");
    assert_eq!(matches[1].0, Methods::Any);
    assert_eq!(matches[1].1.as_str(), "/b/{*rest}");
}

#[test]
fn wrong_matches_are_refused_with_their_place() {
    assert_eq!(route("GTE /a"), "2:10 `GTE` is not a method");
    assert_eq!(
        help("[[routes]]\nmatch = \"GTE /a\"\n"),
        "did you mean `GET`?"
    );
    assert_eq!(route("GET|post /a"), "2:14 `post` is not a method");
    assert_eq!(route("GET|GET /a"), "2:10 `GET` is here twice");
    assert_eq!(route("GET, POST /a"), "2:10 `GET, POST` is not a method");
    assert_eq!(route("GET"), "2:9 `GET` is not a match");
    assert_eq!(route("GET/a"), "2:9 `GET/a` is not a match");
    assert_eq!(route(""), "2:9 `` is not a match");
    for template in [
        "/a/{id}.json",
        "/a//b",
        "/a/{*rest}/b",
        "/{a}/{a}",
        "/a/../b",
        "/a?b",
        "/{}",
    ] {
        let found = findings(&format!("[[routes]]\nmatch = \"GET {template}\"\n"));
        assert_eq!((found[0].line, found[0].column), (2, 14), "{template}");
    }
    assert_eq!(
        route("GET /users/:id"),
        "2:14 a segment that begins with ':'"
    );
    assert_eq!(route("/v1/*"), "2:10 a segment that begins with '*'");
}

#[test]
fn rlx_27_two_routes_for_the_same_requests_name_both_places() {
    let text = "[[routes]]\nmatch = \"GET /a/{id}\"\n[[routes]]\nmatch = [\"/b\", \"GET|POST /a/{name}\"]\n";
    assert_eq!(finding(text), "4:16 another route takes the same requests");
    assert_eq!(findings(text)[0].related.as_ref().unwrap().line, 2);
    // HEAD counts as GET.
    let text = "[[routes]]\nmatch = \"GET /a\"\n[[routes]]\nmatch = \"HEAD /a\"\n";
    assert_eq!(finding(text), "4:9 another route takes the same requests");
    // Methods come before none, literals before parameters.
    settings(
        "[[routes]]\nmatch = \"GET /a/{id}\"\n[[routes]]\nmatch = \"/a/{id}\"\n[[routes]]\nmatch = \"/a/b\"\n",
    );
    let text =
        "[paths]\ncase_sensitive = false\n[[routes]]\nmatch = \"/A\"\n[[routes]]\nmatch = \"/a\"\n";
    assert_eq!(finding(text), "6:9 another route takes the same requests");
}

#[test]
fn routes_make_sense() {
    assert_eq!(
        lines("[[routes]]\nmatch = \"/a\"\nexempt = true\ncost = 5\npolicies = [\"1/s\"]\n"),
        [
            "4:8 an exempt route has no `cost`",
            "5:12 an exempt route has no `policies`",
        ]
    );
    assert_eq!(
        finding(
            "[plans.anonymous]\npolicies = []\n[[routes]]\nmatch = \"/a\"\nplans = [\"pro\"]\n"
        ),
        "5:10 there is no plan `pro`"
    );
    assert_eq!(
        finding("[[routes]]\nmatch = \"/a\"\nplans = []\n"),
        "3:9 a route for no plan at all"
    );
    assert_eq!(
        finding("[[routes]]\nmatch = []\n"),
        "2:9 a match of nothing"
    );
    assert_eq!(
        finding("[[groups]]\nmatch = \"/a\"\npolicies = []\n"),
        "3:12 a group without policies does nothing"
    );
}
