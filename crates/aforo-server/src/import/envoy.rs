//! The configuration of Envoy's reference rate limit service
//! (<https://github.com/envoyproxy/ratelimit>).

use serde::Deserialize;

use super::written::{Entry, Written, quoted};

/// A file: one domain.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Domain {
    domain: String,
    #[serde(default)]
    descriptors: Vec<Node>,
}

/// A descriptor and what is nested in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    key: String,
    #[serde(default)]
    value: Option<Scalar>,
    #[serde(default)]
    rate_limit: Option<Limit>,
    #[serde(default)]
    descriptors: Vec<Node>,
    #[serde(default)]
    shadow_mode: bool,
    #[serde(default)]
    quota_mode: bool,
    #[serde(default)]
    detailed_metric: bool,
    #[serde(default)]
    value_to_metric: bool,
    #[serde(default)]
    share_threshold: bool,
    #[serde(default)]
    metadata: Option<yaml_serde::Value>,
}

/// A value that YAML may read as something else than a string.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Integer(i64),
    Flag(bool),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    #[serde(default)]
    requests_per_unit: u32,
    #[serde(default)]
    unit: Option<String>,
    #[serde(default)]
    unlimited: bool,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    replaces: Vec<yaml_serde::Value>,
}

/// The way to a descriptor.
#[derive(Clone, Debug, Default)]
struct Way {
    entries: Vec<Entry>,
    /// Which entries' values share one counter.
    shared: Vec<bool>,
}

/// Writes the tables of a domain.
pub(super) fn import(text: &str, written: &mut Written) -> Result<(), yaml_serde::Error> {
    let domain: Domain = yaml_serde::from_str(text)?;
    written.comment(&format!(
        "Domain {}. Descriptors of one request are taken all or none; the reference counts each, also\n\
         when another one denies. An IPv6 address in `remote_address` counts by its /64.",
        domain.domain
    ));
    list(
        &domain.domain,
        &Way::default(),
        &domain.descriptors,
        written,
    );
    Ok(())
}

fn list(domain: &str, way: &Way, nodes: &[Node], written: &mut Written) {
    for (place, node) in nodes.iter().enumerate() {
        let value = node.value();
        let before = nodes.get(..place).unwrap_or_default();
        match shape(&value) {
            Shape::Inner => {
                let lost = way.told(node, &value);
                written.lacks(format!("{lost}: a * that is not the last letter"));
                continue;
            }
            shape if is_hidden(shape, node, nodes, before) => {
                let lost = way.told(node, &value);
                written.comment(&format!("Left out, since a * above takes it: {lost}"));
                continue;
            }
            _ => {}
        }
        one(domain, way, node, value, written);
    }
}

fn one(domain: &str, way: &Way, node: &Node, value: String, written: &mut Written) {
    let mut here = way.clone();
    let any = value.is_empty() || value == "*";
    here.entries
        .push((node.key.clone(), (!any).then_some(value)));
    here.shared.push(node.share_threshold);
    for (is_set, what) in [
        (node.quota_mode, "quota_mode: it denies like any other"),
        (node.metadata.is_some(), "metadata"),
    ] {
        if is_set {
            written.lacks(format!("{}: {what}", here.label()));
        }
    }
    if node.detailed_metric || node.value_to_metric {
        written.comment(&format!("Metrics are labelled by policy: {}", here.label()));
    }
    match &node.rate_limit {
        Some(limit) => limited(domain, &here, node, limit, written),
        None if node.descriptors.is_empty() => written.descriptor(domain, &here.entries, &[]),
        None => {}
    }
    list(domain, &here, &node.descriptors, written);
}

fn limited(domain: &str, way: &Way, node: &Node, limit: &Limit, written: &mut Written) {
    if !limit.replaces.is_empty() {
        written.lacks(format!("{}: replaces; both are counted", way.label()));
    }
    if limit.unlimited {
        written.descriptor(domain, &way.entries, &[]);
        return;
    }
    let unit = limit
        .unit
        .as_deref()
        .unwrap_or_default()
        .to_ascii_lowercase();
    // Windows of the reference are of fixed length and aligned to the epoch.
    let window = match unit.as_str() {
        "second" | "minute" | "hour" | "day" => unit.as_str(),
        "week" => "7day",
        "month" => "30day",
        "year" => "365day",
        _ => {
            written.lacks(format!("{}: the unit `{unit}`", way.label()));
            return;
        }
    };
    let amount = limit.requests_per_unit;
    let algorithm = if amount == 0 { "" } else { " fixed-window" };
    let name = limit.name.clone().filter(|name| !name.is_empty());
    let name = written.name(&name.unwrap_or_else(|| format!("{domain}-{}", way.label())));
    let mut policy = format!(
        "{{ name = {}, quota = \"{amount}/{window}{algorithm}\"",
        quoted(&name)
    );
    if let Some(parts) = way.partition() {
        policy.push_str(&format!(", partition_by = [{parts}]"));
    }
    if node.shadow_mode {
        policy.push_str(", action = \"shadow\"");
    }
    policy.push_str(" }");
    written.descriptor(domain, &way.entries, &[policy]);
}

impl Node {
    fn value(&self) -> String {
        match &self.value {
            None => String::new(),
            Some(Scalar::Text(text)) => text.clone(),
            Some(Scalar::Integer(number)) => number.to_string(),
            Some(Scalar::Flag(flag)) => flag.to_string(),
        }
    }
}

impl Way {
    fn label(&self) -> String {
        let words = self.entries.iter().map(|(key, value)| match value {
            Some(value) => format!("{key}-{value}"),
            None => key.clone(),
        });
        words.collect::<Vec<_>>().join("-")
    }

    fn told(&self, node: &Node, value: &str) -> String {
        let mut there = self.clone();
        let value = (!value.is_empty()).then(|| value.to_owned());
        there.entries.push((node.key.clone(), value));
        there.label()
    }

    /// What is counted apart, where values share a counter.
    fn partition(&self) -> Option<String> {
        if !self.shared.contains(&true) {
            return None;
        }
        let apart = self
            .entries
            .iter()
            .zip(&self.shared)
            .filter(|(_, shared)| !**shared);
        let parts: Vec<String> = apart
            .map(|((key, _), _)| quoted(&format!("descriptor:{key}")))
            .collect();
        Some(match parts.as_slice() {
            [] => "\"everyone\"".to_owned(),
            parts => parts.join(", "),
        })
    }
}

/// Which values fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape<'v> {
    Any,
    Whole,
    Prefix(&'v str),
    Inner,
}

fn shape(value: &str) -> Shape<'_> {
    match value.strip_suffix('*') {
        _ if value.is_empty() => Shape::Any,
        None if value.contains('*') => Shape::Inner,
        None => Shape::Whole,
        Some(stem) if stem.contains('*') => Shape::Inner,
        Some(stem) => Shape::Prefix(stem),
    }
}

/// Whether another table takes all of its values: the first * that fits is taken, and any of them
/// before the key alone.
fn is_hidden(shape: Shape<'_>, node: &Node, all: &[Node], before: &[Node]) -> bool {
    let takes = |others: &[Node], stem: &str| {
        others.iter().any(|other| {
            let value = other.value();
            let prefix = value
                .strip_suffix('*')
                .filter(|prefix| !prefix.contains('*'));
            other.key == node.key && prefix.is_some_and(|prefix| stem.starts_with(prefix))
        })
    };
    match shape {
        Shape::Prefix(stem) => takes(before, stem),
        Shape::Any => takes(all, ""),
        Shape::Whole | Shape::Inner => false,
    }
}
