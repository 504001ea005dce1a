//! Routes of which none is more specific than the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::shape::{Shape, shape};
use crate::{Methods, Paths, Route};

/// Two routes that match the same requests, none more specific than the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RouteConflict {
    /// The one that comes first in the file.
    pub first: MatchPlace,
    /// The other.
    pub second: MatchPlace,
}

/// Where a match stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchPlace {
    /// Which route, from 0.
    pub route: usize,
    /// Which of its matches, from 0.
    pub at: usize,
}

/// Every two routes of which none is more specific than the other, though both match some
/// request: templates alike but for the names of parameters, and a method in common.
///
/// ```
/// use std::sync::Arc;
/// use aforo_policy::{Methods, Paths, Route, Template, route_conflicts};
/// let route = |text| Arc::new(Route {
///     matches: vec![(Methods::Any, Template::parse(text).unwrap())],
///     cost: 1,
///     cost_from: None,
///     policies: vec![],
///     exempt: false,
///     plans: vec![],
/// });
/// let routes = [route("/users/{id}"), route("/users/me"), route("/users/{name}")];
/// let conflicts = route_conflicts(&routes, &Paths::default());
/// assert_eq!(conflicts.len(), 1);
/// assert_eq!((conflicts[0].first.route, conflicts[0].second.route), (0, 2));
/// ```
pub fn route_conflicts(routes: &[Arc<Route>], paths: &Paths) -> Vec<RouteConflict> {
    let mut alike: BTreeMap<Vec<Shape>, Vec<(MatchPlace, &Methods)>> = BTreeMap::new();
    let mut conflicts = Vec::new();
    for (route, one) in routes.iter().enumerate() {
        for (at, (methods, template)) in one.matches.iter().enumerate() {
            let second = MatchPlace { route, at };
            let held = alike.entry(shape(template, paths)).or_default();
            let clashing = held
                .iter()
                .filter(|(first, theirs)| first.route != route && theirs.clash(methods));
            conflicts.extend(clashing.map(|&(first, _)| RouteConflict { first, second }));
            held.push((second, methods));
        }
    }
    conflicts
}
