//! Which route and which groups a request belongs to.

mod conflict;
mod matched;

pub use conflict::{MatchPlace, RouteConflict, route_conflicts};
pub use matched::Matched;
