//! The route and the groups of a request.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::{Group, Route, Template};

/// The route and the groups of a request.
#[derive(Debug)]
pub struct Matched<'a> {
    /// The one route that applies.
    pub route: Option<&'a Arc<Route>>,
    /// The template that matched (never the concrete path).
    pub template: Option<&'a Template>,
    /// Every matching group, in the file's order.
    pub groups: SmallVec<[&'a Group; 4]>,
    /// The template of each group that matched.
    pub(crate) group_templates: SmallVec<[&'a Template; 4]>,
    /// The template that the application's router knows, when the file has no route for it.
    pub(crate) foreign: Option<SmallVec<[u8; 64]>>,
}

impl Matched<'_> {
    /// Whether the request is not counted at all.
    pub fn is_exempt(&self) -> bool {
        self.route.is_some_and(|route| route.exempt)
    }
}
