//! Routes of which none is more specific than the other.

use std::sync::Arc;

use crate::{Paths, Route};

/// Two routes that match the same requests, none more specific than the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
pub fn route_conflicts(routes: &[Arc<Route>], paths: &Paths) -> Vec<RouteConflict> {
    let _ = (routes, paths);
    todo!()
}
