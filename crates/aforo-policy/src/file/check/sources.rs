//! That something provides what policies count by: a part that is never there would quietly
//! fall back, and strangers would share a bucket or none would be limited.

use super::Checker;
use super::names::{Known, Use};
use crate::file::source::Location;
use crate::{Part, Settings};

impl Checker<'_> {
    pub(super) fn check_sources(&mut self, settings: &Settings) {
        let mut missing: Vec<(Location, String, &'static str)> = Vec::new();
        for known in self.names.0.values() {
            for (part, at) in &known.parts {
                let lacks = match part {
                    Part::Path(name) => self.lacks_parameter(known, name),
                    _ => lacks_identity(settings, known, part),
                };
                missing.extend(lacks.map(|(what, help)| (*at, what, help)));
            }
        }
        for (at, what, help) in missing {
            self.findings
                .add(at, format!("nothing provides {what}"))
                .help(help);
        }
    }

    /// A parameter that no template has where the policy is used.
    fn lacks_parameter(&self, known: &Known, name: &str) -> Option<(String, &'static str)> {
        let anywhere = self.names_in_routes(name);
        let has = |used: &Use| match used {
            Use::Route(place) => place.parameters.iter().any(|known| known == name),
            Use::Group(place) => anywhere || place.parameters.iter().any(|known| known == name),
            Use::Plan(_) | Use::Team(_) | Use::Edge => anywhere,
            // What descriptors have is checked where they are.
            Use::Descriptor(_) => true,
        };
        let lacking = known.uses.iter().any(|(used, _)| !has(used));
        lacking.then(|| {
            (
                format!("the path parameter `{name}`"),
                "write {name} into the match of the route that uses the policy",
            )
        })
    }

    fn names_in_routes(&self, name: &str) -> bool {
        let routes = self
            .file
            .routes
            .get()
            .into_iter()
            .flat_map(|list| list.iter());
        let mut matches = routes.flat_map(|route| route.r#match.get().into_iter());
        let parameters = [format!("{{{name}}}"), format!("{{*{name}}}")];
        matches.any(|list| {
            list.0.iter().any(|text| {
                text.as_str()
                    .split('/')
                    .any(|segment| parameters.iter().any(|parameter| parameter == segment))
            })
        })
    }
}

/// A part of the caller that no credential of the gateway gives. An application identifies
/// callers by itself, so that there everything may be there.
fn lacks_identity(
    settings: &Settings,
    known: &Known,
    part: &Part,
) -> Option<(String, &'static str)> {
    if settings.gateway.is_none() || !known.in_gateway {
        return None;
    }
    let consumers = settings.consumers.values();
    let identity = &settings.identity;
    if let (Part::Jwt(_), None) = (part, &identity.jwt) {
        return Some((format!("{part}"), "say in [identity] which jwt is believed"));
    }
    let elsewhere = identity.lookups.url.is_some() || identity.registry.is_some();
    if elsewhere || identity.jwt.is_some() {
        return None;
    }
    let verified = identity.verified_header.is_some() || identity.client_certificate.is_some();
    match part {
        Part::Consumer if consumers.len() == 0 && !verified => Some((
            "a consumer".to_owned(),
            "add [[consumers]] with API keys, a jwt, a lookup, a client_certificate, or a \
             verified_header",
        )),
        Part::Team if !consumers.clone().any(|consumer| consumer.team.is_some()) => Some((
            "a team".to_owned(),
            "give consumers a team, or count by another part",
        )),
        Part::Org if !consumers.clone().any(|consumer| consumer.org.is_some()) => Some((
            "an org".to_owned(),
            "give consumers an org, or count by another part",
        )),
        _ => None,
    }
}
