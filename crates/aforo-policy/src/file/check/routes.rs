//! `[[routes]]`, `[[groups]]` and `[paths]`.

use std::sync::Arc;

use super::Checker;
use super::matches::{Match, place};
use super::names::Use;
use crate::file::raw::RawRoute;
use crate::file::read::List;
use crate::file::source::Location;
use crate::matching::MatchPlace;
use crate::{Group, Methods, Paths, Route, Template, route_conflicts};

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
        let mut places: Vec<Vec<Location>> = Vec::new();
        for raw in self.file.routes.get().into_iter().flat_map(List::iter) {
            let matches = self.matches(&raw.r#match);
            places.push(matches.iter().map(|one| one.at).collect());
            self.check_exempt(raw);
            let used = Use::Route(place(&matches));
            let plans = self.route_plans(raw);
            let route = Route {
                cost: raw.cost.get().map_or(1, |cost| cost.value),
                cost_from: self.cost_from(raw),
                policies: self.policies(&raw.policies, &used),
                exempt: raw.exempt.get().is_some_and(|exempt| exempt.value),
                plans,
                matches: pairs(matches),
            };
            routes.push(Arc::new(route));
        }
        self.check_ambiguity(&routes, &places);
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
            raw.cost_from.get().map(|from| ("cost_from", from.place)),
            raw.policies.get().map(|list| ("policies", list.at)),
            raw.plans.get().map(|list| ("plans", list.at)),
        ];
        for (name, at) in others.into_iter().flatten() {
            self.findings
                .add(at, format!("an exempt route has no `{name}`"))
                .help("an exempt route is not counted at all; leave one of them out");
        }
    }

    /// Routes that are equally specific: which of them applies would be anybody's guess.
    fn check_ambiguity(&mut self, routes: &[Arc<Route>], places: &[Vec<Location>]) {
        let paths = self.paths();
        let place = |at: MatchPlace| places.get(at.route)?.get(at.at).copied();
        for conflict in route_conflicts(routes, &paths) {
            let (Some(first), Some(second)) = (place(conflict.first), place(conflict.second))
            else {
                continue;
            };
            self.findings
                .add(second, "another route takes the same requests")
                .also(first, "the first one is here")
                .help("exactly one route applies to a request; join the two");
        }
    }
}

fn pairs(matches: Vec<Match>) -> Vec<(Methods, Template)> {
    matches
        .into_iter()
        .map(|one| (one.methods, one.template))
        .collect()
}
