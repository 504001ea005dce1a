//! What a request asks for: its path in the one spelling, its facts, its route.

use ::http::Uri;
use ::http::request::Parts;
use ::http::uri::PathAndQuery;
use aforo_policy::{BodyFacts, CanonicalPath, Facts, Matched, PathError, PolicySet, Settings};

use super::facts;

/// The path that a request asks for.
pub(super) struct Target<'a> {
    uri: &'a Uri,
    path: CanonicalPath<'a>,
}

impl<'a> Target<'a> {
    /// The path that a request was sent to.
    pub(super) fn of(parts: &'a Parts, settings: &Settings) -> Result<Self, PathError> {
        let uri = facts::target(parts);
        let path = CanonicalPath::new(uri.path(), &settings.paths)?;
        Ok(Self { uri, path })
    }

    /// The facts of the request.
    pub(super) fn facts(
        &'a self,
        parts: &'a Parts,
        body: Option<&'a [u8]>,
        policies: &PolicySet,
    ) -> Facts<'a> {
        let reads_host = policies.reads_host();
        Facts {
            method: &parts.method,
            path: &self.path,
            query: self.uri.query(),
            host: reads_host.then(|| facts::host(parts)).flatten(),
            headers: &parts.headers,
            body: body.map(|bytes| BodyFacts { bytes }),
        }
    }

    /// The path as it is forwarded, where it came otherwise: unless the file says `raw` or
    /// a router matched already.
    pub(super) fn spelled(&self, parts: &Parts, settings: &Settings) -> Option<PathAndQuery> {
        let gateway = settings.gateway.as_ref();
        let canonical = gateway.is_none_or(|gateway| gateway.forward_canonical);
        if !canonical || facts::router_template(parts).is_some() {
            return None;
        }
        if std::ptr::eq(self.uri, &parts.uri) {
            return respelled(&self.path, &parts.uri);
        }
        // A router cut a prefix off.
        let path = CanonicalPath::new(parts.uri.path(), &settings.paths).ok()?;
        respelled(&path, &parts.uri)
    }
}

fn respelled(path: &CanonicalPath<'_>, uri: &Uri) -> Option<PathAndQuery> {
    let forwarded = path.forwarded();
    if forwarded == uri.path() {
        return None;
    }
    let spelled = match uri.query() {
        Some(query) => format!("{forwarded}?{query}"),
        None => forwarded.to_owned(),
    };
    PathAndQuery::try_from(spelled).ok()
}

/// The route and groups of a request.
pub(super) fn matched<'a>(
    policies: &'a PolicySet,
    parts: &Parts,
    facts: &Facts<'_>,
) -> Matched<'a> {
    match facts::router_template(parts) {
        Some(template) => policies.matched_template(facts, template),
        None => policies.matched(facts),
    }
}
