//! Every policy of a file with its quota in words, in the file's order of places.

use std::fmt;
use std::sync::Arc;

use aforo_policy::{Methods, Policy, Settings, Template, words};
use serde::Serialize;

/// A policy where it applies.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Line {
    /// Where it applies: `plan free`, `route POST /orders`.
    pub(crate) place: String,
    /// Its name.
    pub(crate) policy: String,
    /// Its quota in words.
    pub(crate) quota: String,
}

/// All policies of a file.
pub(crate) fn of(settings: &Settings) -> Vec<Line> {
    let mut lines = Vec::new();
    put(&mut lines, "edge", &settings.edge);
    for plan in settings.plans.values() {
        put(&mut lines, &format!("plan {}", plan.name), &plan.policies);
    }
    for team in settings.teams.values() {
        put(&mut lines, &format!("team {}", team.name), &team.policies);
    }
    for group in &settings.groups {
        put(
            &mut lines,
            &format!("group {}", first(&group.matches)),
            &group.policies,
        );
    }
    for route in &settings.routes {
        put(
            &mut lines,
            &format!("route {}", first(&route.matches)),
            &route.policies,
        );
    }
    for descriptor in &settings.descriptors {
        let keys = descriptor.entries.iter().map(|entry| entry.key.as_str());
        let keys = keys.collect::<Vec<_>>().join(", ");
        let place = format!("descriptor {keys} of {}", descriptor.domain);
        put(&mut lines, &place, &descriptor.policies);
    }
    lines
}

fn put(lines: &mut Vec<Line>, place: &str, policies: &[Arc<Policy>]) {
    for policy in policies {
        lines.push(Line {
            place: place.to_owned(),
            policy: policy.name.as_str().to_owned(),
            quota: words::policy(policy),
        });
    }
}

/// The first match of a route or group, as the file writes it.
fn first(matches: &[(Methods, Template)]) -> String {
    let Some((methods, template)) = matches.first() else {
        return String::new();
    };
    match methods {
        Methods::Any => template.as_str().to_owned(),
        Methods::Only(methods) => {
            let methods: Vec<_> = methods.iter().map(http::Method::as_str).collect();
            format!("{} {}", methods.join("|"), template.as_str())
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.policy, self.quota)
    }
}
