//! `[[routes]]`, `[[groups]]` and `[paths]`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Checker;
use super::matches::{Match, place};
use super::names::Use;
use crate::file::raw::RawRoute;
use crate::file::read::List;
use crate::file::source::Location;
use crate::{Group, Methods, Paths, Route, Template, TrailingSlash};

/// Templates by shape, with the methods of each route that has it.
type Shapes = BTreeMap<String, Vec<(Methods, Location)>>;

impl Checker<'_> {
    pub(super) fn paths(&mut self) -> Paths {
        let default = Paths::default();
        let Some(raw) = self.file.paths.get() else {
            return default;
        };
        Paths {
            case_sensitive: raw.case_sensitive.get().is_none_or(|flag| flag.value),
            trailing_slash: raw
                .trailing_slash
                .get()
                .map_or(default.trailing_slash, |choice| choice.value),
            encoded_slash: raw
                .encoded_slash
                .get()
                .map_or(default.encoded_slash, |choice| choice.value),
        }
    }

    pub(super) fn groups(&mut self) -> Vec<Group> {
        let mut groups = Vec::new();
        for raw in self.file.groups.get().into_iter().flat_map(List::iter) {
            let matches = self.matches(&raw.r#match);
            if let Some(list) = raw.policies.get().filter(|list| list.empty) {
                self.findings
                    .add(list.at, "a group without policies does nothing");
            }
            let used = Use::Group(place(&matches));
            groups.push(Group {
                policies: self.policies(&raw.policies, &used),
                matches: pairs(matches),
            });
        }
        groups
    }

    pub(super) fn routes(&mut self) -> Vec<Arc<Route>> {
        let mut routes = Vec::new();
        let mut shapes = Shapes::new();
        for raw in self.file.routes.get().into_iter().flat_map(List::iter) {
            let matches = self.matches(&raw.r#match);
            self.check_ambiguity(&matches, &mut shapes);
            self.check_exempt(raw);
            let used = Use::Route(place(&matches));
            let plans = self.route_plans(raw);
            let route = Route {
                cost: raw.cost.get().map_or(1, |cost| cost.value),
                policies: self.policies(&raw.policies, &used),
                exempt: raw.exempt.get().is_some_and(|exempt| exempt.value),
                plans,
                matches: pairs(matches),
            };
            routes.push(Arc::new(route));
        }
        routes
    }

    fn route_plans(&mut self, raw: &RawRoute) -> Vec<String> {
        let Some(list) = raw.plans.get() else {
            return Vec::new();
        };
        if list.empty {
            self.findings
                .add(list.at, "a route for no plan at all")
                .help("leave it out for all plans");
        }
        for plan in list.iter() {
            self.check_plan(plan);
        }
        list.iter().map(|plan| plan.value.clone()).collect()
    }

    /// An exempt route is not counted, so it has nothing to count by.
    fn check_exempt(&mut self, raw: &RawRoute) {
        if !raw.exempt.get().is_some_and(|exempt| exempt.value) {
            return;
        }
        let others = [
            raw.cost.get().map(|cost| ("cost", cost.at)),
            raw.policies.get().map(|list| ("policies", list.at)),
            raw.plans.get().map(|list| ("plans", list.at)),
        ];
        for (name, at) in others.into_iter().flatten() {
            self.findings
                .add(at, format!("an exempt route has no `{name}`"))
                .help("an exempt route is not counted at all; leave one of them out");
        }
    }

    /// Two routes that are equally specific: which of them applies is anybody's guess.
    fn check_ambiguity(&mut self, matches: &[Match], shapes: &mut Shapes) {
        for one in matches {
            let shape = self.shape(one.template.as_str());
            let taken = shapes.entry(shape).or_default();
            let rival = taken
                .iter()
                .find(|(methods, _)| meet(methods, &one.methods));
            if let Some((_, at)) = rival {
                self.findings
                    .add(one.at, "another route takes the same requests")
                    .also(*at, "the first one is here")
                    .help("exactly one route applies to a request; join the two");
            }
            taken.push((one.methods.clone(), one.at));
        }
    }

    /// A template without the names of its parameters, folded as `[paths]` says.
    fn shape(&self, template: &str) -> String {
        let raw = self.file.paths.get();
        let sensitive = raw.and_then(|paths| paths.case_sensitive.get());
        let slash = raw.and_then(|paths| paths.trailing_slash.get());
        let mut segments: Vec<String> = Vec::new();
        for segment in template.split('/') {
            segments.push(match segment {
                many if many.starts_with("{*") => "{*}".to_owned(),
                one if one.starts_with('{') => "{}".to_owned(),
                literal if sensitive.is_some_and(|flag| !flag.value) => literal.to_lowercase(),
                literal => literal.to_owned(),
            });
        }
        let shape = segments.join("/");
        match slash {
            Some(choice) if choice.value == TrailingSlash::Ignore && shape.len() > 1 => {
                shape.trim_end_matches('/').to_owned()
            }
            _ => shape,
        }
    }
}

/// Whether two matches of one template take the same request at the same rank. HEAD counts as
/// GET.
fn meet(one: &Methods, other: &Methods) -> bool {
    let folded = |method: &http::Method| match method.as_str() {
        "HEAD" => http::Method::GET,
        _ => method.clone(),
    };
    match (one, other) {
        (Methods::Any, Methods::Any) => true,
        (Methods::Only(one), Methods::Only(other)) => one
            .iter()
            .any(|method| other.iter().any(|rival| folded(rival) == folded(method))),
        _ => false,
    }
}

fn pairs(matches: Vec<Match>) -> Vec<(Methods, Template)> {
    matches
        .into_iter()
        .map(|one| (one.methods, one.template))
        .collect()
}
