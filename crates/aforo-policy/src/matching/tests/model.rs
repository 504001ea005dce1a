//! The tree against a model that tries every match and compares ranks.

use std::sync::Arc;

use http::Method;
use proptest::prelude::*;

use super::{parsed, route};
use crate::matching::{Routing, route_conflicts};
use crate::{Group, Paths, Settings};

/// How general a template is, segment by segment; smaller is more specific.
fn ranks(template: &str) -> Vec<u8> {
    let rank = |piece: &str| match (piece.starts_with("{*"), piece.starts_with('{')) {
        (true, _) => 2,
        (_, true) => 1,
        _ => 0,
    };
    pieces(template).iter().map(|piece| rank(piece)).collect()
}

fn pieces(path: &str) -> Vec<&str> {
    match &path[1..] {
        "" => Vec::new(),
        rest => rest.split('/').collect(),
    }
}

fn fits(template: &[&str], path: &[&str]) -> bool {
    match (template, path) {
        ([piece], _) if piece.starts_with("{*") => true,
        ([], []) => true,
        ([piece, template @ ..], [segment, path @ ..]) => {
            let one = piece.starts_with('{') && !segment.is_empty();
            (one || piece == segment) && fits(template, path)
        }
        _ => false,
    }
}

fn takes(methods: Option<&str>, method: &str) -> bool {
    methods.is_none_or(|methods| {
        methods
            .split('|')
            .any(|one| one == method || one == "GET" && method == "HEAD")
    })
}

/// The places of all matches, the most specific first.
fn model(routes: &[String], method: &str, path: &str) -> Vec<usize> {
    let mut all: Vec<(Vec<u8>, bool, usize)> = Vec::new();
    for (at, text) in routes.iter().enumerate() {
        let (methods, template) = match text.split_once(' ') {
            Some((methods, template)) => (Some(methods), template),
            None => (None, text.as_str()),
        };
        if takes(methods, method) && fits(&pieces(template), &pieces(path)) {
            all.push((ranks(template), methods.is_none(), at));
        }
    }
    all.sort();
    all.into_iter().map(|(_, _, at)| at).collect()
}

fn template() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec!["a", "b", "c", "{1}", "{1}"]);
    let last = prop::sample::select(vec!["", "", "/", "/{*rest}"]);
    (prop::collection::vec(piece, 0..4), last).prop_map(|(pieces, last)| {
        let named = pieces.iter().enumerate();
        let text: String = named
            .map(|(at, piece)| format!("/{}", piece.replace('1', &format!("p{at}"))))
            .collect();
        match (text.as_str(), last) {
            ("", "") => "/".to_owned(),
            _ => text + last,
        }
    })
}

fn one_match() -> impl Strategy<Value = String> {
    let methods = prop::sample::select(vec!["", "", "GET ", "POST ", "GET|PUT ", "HEAD "]);
    (methods, template()).prop_map(|(methods, template)| format!("{methods}{template}"))
}

fn path() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec!["a", "b", "c", "d"]);
    (prop::collection::vec(piece, 0..6), any::<bool>()).prop_map(|(pieces, open)| {
        let text: String = pieces.iter().map(|piece| format!("/{piece}")).collect();
        if open || text.is_empty() {
            text + "/"
        } else {
            text
        }
    })
}

/// The routes but for those that clash with one before them.
fn without_conflicts(all: Vec<String>) -> (Vec<String>, Settings) {
    let (mut kept, mut settings) = (Vec::new(), Settings::default());
    for text in all {
        settings.routes.push(route(&[&text]));
        if route_conflicts(&settings.routes, &Paths::default()).is_empty() {
            kept.push(text);
        } else {
            settings.routes.pop();
        }
    }
    (kept, settings)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_route_is_the_models(
        routes in prop::collection::vec(one_match(), 1..12),
        path in path(),
        method in prop::sample::select(vec!["GET", "HEAD", "POST", "PUT", "PURGE"]),
    ) {
        let (routes, settings) = without_conflicts(routes);
        let routing = Routing::new(&settings);
        let sent: Method = method.parse().unwrap();
        let matched = routing.of_path(&settings, &path, &sent);
        let got = matched.route.and_then(|route| {
            settings.routes.iter().position(|one| Arc::ptr_eq(one, route))
        });
        prop_assert_eq!(got, model(&routes, method, &path).first().copied());
    }

    #[test]
    fn the_groups_are_the_models(
        groups in prop::collection::vec(one_match(), 1..12),
        path in path(),
        method in prop::sample::select(vec!["GET", "HEAD", "POST", "PUT"]),
    ) {
        let group = |text: &String| Group { matches: vec![parsed(text)], policies: Vec::new() };
        let settings = Settings {
            groups: groups.iter().map(group).collect(),
            ..Settings::default()
        };
        let routing = Routing::new(&settings);
        let sent: Method = method.parse().unwrap();
        let matched = routing.of_path(&settings, &path, &sent);
        let place = |group: &&Group| {
            settings.groups.iter().position(|one| std::ptr::eq(one, *group)).unwrap()
        };
        let got: Vec<usize> = matched.groups.iter().map(place).collect();
        let mut expected = model(&groups, method, &path);
        expected.sort_unstable();
        prop_assert_eq!(got, expected);
    }

    /// Two routes clash exactly when some path and method make the model undecided.
    #[test]
    fn clashes_are_the_models(one in one_match(), other in one_match(), path in path()) {
        let routes = [route(&[&one]), route(&[&other])];
        let clash = !route_conflicts(&routes, &Paths::default()).is_empty();
        let template = |text: &str| text.rsplit(' ').next().unwrap().to_owned();
        let undecided = ["GET", "HEAD", "POST", "PUT", "PURGE"].iter().any(|method| {
            model(&[one.clone(), other.clone()], method, &path).len() == 2
                && ranks(&template(&one)) == ranks(&template(&other))
                && one.contains(' ') == other.contains(' ')
        });
        prop_assert!(clash || !undecided, "{} and {} on {}", one, other, path);
    }
}
