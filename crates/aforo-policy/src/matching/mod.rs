//! Which route and which groups a request belongs to.

mod conflict;
mod matched;
mod methods;
mod routing;
mod shape;
mod table;

#[cfg(test)]
mod tests;

pub use conflict::{MatchPlace, RouteConflict, route_conflicts};
pub use matched::Matched;
pub(crate) use routing::Routing;
pub(crate) use table::Table;
