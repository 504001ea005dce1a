//! The route and the groups of a request.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::{Group, Route, Template};

/// The route and the groups of a request.
#[derive(Debug, Default)]
pub struct Matched<'a> {
    /// The one route that applies.
    pub route: Option<&'a Arc<Route>>,
    /// The template that matched (never the concrete path).
    pub template: Option<&'a Template>,
    /// Every matching group, in the file's order.
    pub groups: SmallVec<[&'a Group; 4]>,
    /// The template of each group that matched.
    pub(crate) group_templates: SmallVec<[&'a Template; 4]>,
    pub(crate) label: Option<Label<'a>>,
    /// Whether the templates fit the request's path, so that parameters can be read from it.
    pub(crate) fits_path: bool,
}

/// What a route is counted by.
#[derive(Clone, Debug)]
pub(crate) enum Label<'a> {
    /// The methods and the first template of a route of the file.
    Own(&'a str),
    /// A template that only the application's router knows.
    Foreign(SmallVec<[u8; 64]>),
}

impl Matched<'_> {
    /// Whether the request is not counted at all.
    pub fn is_exempt(&self) -> bool {
        self.route.is_some_and(|route| route.exempt)
    }

    /// What the route is counted by; none when no route applies.
    pub(crate) fn route_label(&self) -> Option<&[u8]> {
        match &self.label {
            Some(Label::Own(label)) => Some(label.as_bytes()),
            Some(Label::Foreign(template)) => Some(template),
            None => None,
        }
    }
}
