//! Canonical paths.

mod model;

use super::{CanonicalPath, PathError};
use crate::{EncodedSlash, Paths, TrailingSlash};

fn forwarded(raw: &str) -> String {
    let path = CanonicalPath::new(raw, &Paths::default());
    path.unwrap().forwarded().to_owned()
}

fn matched(raw: &str, paths: &Paths) -> String {
    CanonicalPath::new(raw, paths).unwrap().matched().to_owned()
}

fn refused(raw: &str) -> PathError {
    CanonicalPath::new(raw, &Paths::default()).unwrap_err()
}

fn keeping() -> Paths {
    Paths {
        encoded_slash: EncodedSlash::Keep,
        ..Paths::default()
    }
}

fn ignoring() -> Paths {
    Paths {
        case_sensitive: false,
        trailing_slash: TrailingSlash::Ignore,
        ..Paths::default()
    }
}

#[test]
fn rl_08_every_spelling_of_a_path_is_one_path() {
    for spelling in [
        "/api/login",
        "//api/login",
        "/api//login",
        "///api///login",
        "/./api/login",
        "/api/./login",
        "/x/../api/login",
        "/x/y/../../api/login",
        "/../api/login",
        "/../../../api/login",
        "/x/%2e%2e/api/login",
        "/x/%2E./api/login",
        "/x/.%2e/api/login",
        "/%2e/api/login",
        "/%61pi/%6Cogin",
        "/api;v=1/login",
        "/api/login;jsessionid=1",
        "/api/;a/login",
        "/x/..;/api/login",
        "/x/..;a=b//api/login",
        "/x/%2e%2e;a/api/login",
        "http://example.org/api/login",
        "HTTPS://example.org//api/login",
    ] {
        assert_eq!(forwarded(spelling), "/api/login", "{spelling}");
        let matched = matched(spelling, &Paths::default());
        assert_eq!(matched, "/api/login", "{spelling}");
    }
}

#[test]
fn rl_08_a_path_never_leaves_the_root() {
    assert_eq!(forwarded("/.."), "/");
    assert_eq!(forwarded("/a/../.."), "/");
    assert_eq!(forwarded("/%2e%2e/%2e%2e/etc/passwd"), "/etc/passwd");
}

#[test]
fn rl_27_case_and_a_trailing_slash_differ_unless_told_otherwise() {
    let strict = Paths::default();
    let all = ["/lang", "/LANG", "/lang/"];
    assert_eq!(all.map(|raw| matched(raw, &strict)), all);
    let folded = all.map(|raw| matched(raw, &ignoring()));
    assert_eq!(folded, ["/lang", "/lang", "/lang"]);
}

#[test]
fn rl_27_folding_is_for_matching_alone() {
    let paths = ignoring();
    let path = CanonicalPath::new("/Lang/EN/", &paths).unwrap();
    assert_eq!(path.forwarded(), "/Lang/EN/");
    assert_eq!(path.matched(), "/lang/en");
    let root = CanonicalPath::new("/", &paths).unwrap();
    assert_eq!(root.matched(), "/");
}

#[test]
fn rl_37_a_path_that_only_begins_like_a_probe_is_another() {
    assert_eq!(forwarded("/healthz/../api"), "/api");
    assert_eq!(refused("/healthz%2f.."), PathError::EncodedSlash);
    assert_eq!(refused("/healthz%2F../api"), PathError::EncodedSlash);
    assert_eq!(forwarded("/healthz;/../api"), "/api");
}

#[test]
fn hidden_separators_are_refused() {
    for raw in [
        "/a%2fb", "/a%2Fb", "/a%5cb", "/a%5Cb", "/a%00", "/a\\b", "/a;%2f",
    ] {
        assert_eq!(refused(raw), PathError::EncodedSlash, "{raw}");
    }
}

#[test]
fn hidden_separators_can_be_kept() {
    let path = |raw| {
        let paths = keeping();
        let path = CanonicalPath::new(raw, &paths).unwrap();
        (path.forwarded().to_owned(), path.matched().to_owned())
    };
    let both = |text: &str| (text.to_owned(), text.to_owned());
    assert_eq!(path("/a%2fb"), both("/a%2Fb"));
    assert_eq!(path("/..%2f.."), both("/..%2F.."));
    assert_eq!(path("/a\\b"), ("/a\\b".to_owned(), "/a%5Cb".to_owned()));
}

#[test]
fn a_kept_backslash_has_one_spelling_whatever_the_case() {
    let folding = Paths {
        case_sensitive: false,
        ..keeping()
    };
    let all = ["/a\\b", "/a%5cb", "/A%5Cb"].map(|raw| matched(raw, &folding));
    assert_eq!(all, ["/a%5cb", "/a%5cb", "/a%5cb"]);
}

#[test]
fn a_double_encoding_is_decoded_once() {
    assert_eq!(forwarded("/%252e%252e/a"), "/%252e%252e/a");
    assert_eq!(forwarded("/a%252fb"), "/a%252fb");
    assert_eq!(forwarded("/%2561"), "/%2561");
}

#[test]
fn what_a_segment_may_hold_unencoded_is_matched_unencoded() {
    let paths = Paths::default();
    let path = CanonicalPath::new("/v1/orders%3abatch/%40me%20x", &paths).unwrap();
    assert_eq!(path.forwarded(), "/v1/orders%3Abatch/%40me%20x");
    assert_eq!(path.matched(), "/v1/orders:batch/@me%20x");
    // A parameter is told by a `;` in the clear alone.
    assert_eq!(matched("/a%3bb", &paths), "/a%3Bb");
}

#[test]
fn bytes_that_a_path_may_not_hold_are_encoded() {
    assert_eq!(forwarded("/caf\u{e9}"), "/caf%C3%A9");
    assert_eq!(forwarded("/caf%c3%a9"), "/caf%C3%A9");
    assert_eq!(forwarded("/a|b\"{c}"), "/a%7Cb%22%7Bc%7D");
}

#[test]
fn what_is_no_path_is_malformed() {
    for raw in [
        "a",
        "a/b",
        "/%",
        "/%4",
        "/%zz",
        "/%4/",
        "/a b",
        "/a?b",
        "/a#b",
        "/a\n",
        "/\0",
        "/a\x7f",
        "host:443",
        "ftp://host/a",
        "**",
        "/%+1",
    ] {
        assert_eq!(refused(raw), PathError::Malformed, "{raw:?}");
    }
}

#[test]
fn the_other_forms_of_a_target_are_defined() {
    assert_eq!(forwarded("*"), "*");
    assert_eq!(forwarded(""), "/");
    assert_eq!(forwarded("http://example.org"), "/");
    assert_eq!(forwarded("http://example.org/a/../b"), "/b");
}

#[test]
fn a_fragment_never_reaches_a_path_through_a_uri() {
    let uri: http::Uri = "/a/b?x=1#c".parse().unwrap();
    assert_eq!(forwarded(uri.path()), "/a/b");
}

#[test]
fn a_trailing_slash_stays() {
    for (raw, canonical) in [
        ("/a/", "/a/"),
        ("/a//", "/a/"),
        ("/a/.", "/a/"),
        ("/a/b/..", "/a/"),
        ("/a/;x", "/a/"),
        ("/.", "/"),
        ("/...", "/..."),
        ("/.a/..b", "/.a/..b"),
    ] {
        assert_eq!(forwarded(raw), canonical, "{raw}");
    }
}
