//! The tables of routes and groups.

use std::ops::ControlFlow;

use http::Method;
use smallvec::SmallVec;

use super::matched::Label;
use super::{Matched, Table};
use crate::template::{covers, without_rest};
use crate::{Methods, Route, Settings, Template};

/// The tables of a file's routes and groups.
#[derive(Debug)]
pub(crate) struct Routing {
    routes: Table,
    groups: Table,
    /// What each route is counted by.
    labels: Vec<String>,
}

impl Routing {
    pub(crate) fn new(settings: &Settings) -> Self {
        let paths = &settings.paths;
        let routes = settings.routes.iter().map(|route| &route.matches);
        let groups = settings.groups.iter().map(|group| &group.matches);
        Self {
            routes: Table::new(owned(routes), paths),
            groups: Table::new(owned(groups), paths),
            labels: settings.routes.iter().map(|route| label(route)).collect(),
        }
    }

    /// Every route with what it is counted by.
    pub(crate) fn labelled<'a>(
        &'a self,
        settings: &'a Settings,
    ) -> impl Iterator<Item = (&'a Route, &'a str)> {
        let labels = self.labels.iter().map(String::as_str);
        settings.routes.iter().map(AsRef::as_ref).zip(labels)
    }

    /// What matches a path in its folded form.
    pub(crate) fn of_path<'a>(
        &'a self,
        settings: &'a Settings,
        path: &str,
        method: &Method,
    ) -> Matched<'a> {
        let mut matched = Matched {
            fits_path: true,
            ..Matched::default()
        };
        if let Some(entry) = self.routes.most_specific(path, method) {
            matched.route = settings.routes.get(entry.owner);
            matched.template = Some(&entry.template);
            matched.label = self.labels.get(entry.owner).map(|label| Label::Own(label));
        }
        if !settings.groups.is_empty() {
            self.add_groups(&mut matched, settings, path, method);
        }
        matched
    }

    /// The same when the application's router knows the template. Where the template fits the
    /// path, the path decides, so that a more specific route of the file is not passed by; where
    /// it does not (a prefix was stripped from the path), the template does.
    pub(crate) fn of_template<'a>(
        &'a self,
        settings: &'a Settings,
        path: &str,
        template: &str,
        method: &Method,
    ) -> Matched<'a> {
        let mut matched = if covers(template, path) {
            self.of_path(settings, path, method)
        } else {
            let beginning = without_rest(template);
            let by_template = self.of_path(settings, beginning, method);
            Matched {
                fits_path: false,
                ..by_template
            }
        };
        if matched.label.is_none() {
            let foreign = SmallVec::from_slice(template.as_bytes());
            matched.label = Some(Label::Foreign(foreign));
        }
        matched
    }

    fn add_groups<'a>(
        &'a self,
        matched: &mut Matched<'a>,
        settings: &'a Settings,
        path: &str,
        method: &Method,
    ) {
        for (owner, template) in self.all_groups(path, method) {
            if let Some(group) = settings.groups.get(owner) {
                matched.groups.push(group);
                matched.group_templates.push(template);
            }
        }
    }

    /// Every group that matches, once, with the most specific of its templates that does.
    fn all_groups<'a>(
        &'a self,
        path: &str,
        method: &Method,
    ) -> SmallVec<[(usize, &'a Template); 4]> {
        let mut found: SmallVec<[(usize, &Template); 4]> = SmallVec::new();
        let _: ControlFlow<()> = self.groups.visit(path, method, &mut |entry| {
            if found.iter().all(|(owner, _)| *owner != entry.owner) {
                found.push((entry.owner, &entry.template));
            }
            ControlFlow::Continue(())
        });
        found.sort_unstable_by_key(|(owner, _)| *owner);
        found
    }
}

/// Each match with the place of the route or group it belongs to.
fn owned<'m>(
    all: impl Iterator<Item = &'m Vec<(Methods, Template)>>,
) -> impl Iterator<Item = (usize, &'m (Methods, Template))> {
    all.enumerate()
        .flat_map(|(owner, matches)| matches.iter().map(move |one| (owner, one)))
}

/// A route's methods, in order, and its first template.
fn label(route: &Route) -> String {
    let Some((methods, template)) = route.matches.first() else {
        return String::new();
    };
    match methods {
        Methods::Any => template.to_string(),
        Methods::Only(methods) => {
            let mut names: Vec<&str> = methods.iter().map(Method::as_str).collect();
            names.sort_unstable();
            format!("{} {template}", names.join("|"))
        }
    }
}
