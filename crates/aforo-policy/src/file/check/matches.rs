//! Matches: `"[METHOD|METHOD ]PATH"`.

use std::collections::BTreeSet;

use super::Checker;
use super::names::Place;
use crate::file::nearest::nearest;
use crate::file::read::{Field, OneOrMany, Text};
use crate::file::source::Location;
use crate::{Methods, Template};

/// The methods that a misspelled one is compared with.
const METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
];

/// A match, checked.
pub(super) struct Match {
    pub(super) methods: Methods,
    pub(super) template: Template,
    pub(super) at: Location,
}

impl Match {
    /// What a policy's made-up name begins with: methods and segments.
    pub(super) fn name(&self) -> String {
        let mut words: Vec<String> = match &self.methods {
            Methods::Any => Vec::new(),
            Methods::Only(methods) => methods.iter().map(ToString::to_string).collect(),
        };
        let segments = self
            .template
            .as_str()
            .split('/')
            .filter(|segment| !segment.is_empty());
        words.extend(segments.map(|segment| parameter(segment).unwrap_or(segment).to_owned()));
        if words.is_empty() {
            words.push("root".to_owned());
        }
        let plain = |letter: char| match letter.to_ascii_lowercase() {
            kept @ ('a'..='z' | '0'..='9' | '.' | '_' | '-') => kept,
            _ => '-',
        };
        words.join("-").chars().map(plain).collect()
    }
}

/// The parameter that a segment is, if it is one.
fn parameter(segment: &str) -> Option<&str> {
    let inner = segment.strip_prefix('{')?.strip_suffix('}')?;
    Some(inner.strip_prefix('*').unwrap_or(inner))
}

/// The place that matches make, for names and parts.
pub(super) fn place(matches: &[Match]) -> Place {
    let parameters: BTreeSet<String> = matches
        .iter()
        .flat_map(|one| one.template.parameters())
        .map(str::to_owned)
        .collect();
    Place {
        name: matches.first().map(Match::name).unwrap_or_default(),
        parameters: parameters.into_iter().collect(),
    }
}

impl Checker<'_> {
    /// The matches of a route or a group.
    pub(super) fn matches(&mut self, field: &Field<OneOrMany<Text>>) -> Vec<Match> {
        let Some(list) = field.get() else {
            return Vec::new();
        };
        if list.0.empty {
            self.findings
                .add(list.0.at, "a match of nothing")
                .expected("\"[METHOD|METHOD ]PATH\", such as \"POST /orders\"");
        }
        let texts = list.0.iter();
        texts.filter_map(|text| self.one_match(text)).collect()
    }

    fn one_match(&mut self, text: &Text) -> Option<Match> {
        let whole = text.as_str();
        let path_at = whole.find('/').unwrap_or(whole.len());
        let (methods, template) = whole.split_at(path_at);
        let methods_are_apart = methods.is_empty() || methods.ends_with(' ');
        if template.is_empty() || !methods_are_apart {
            self.findings
                .add(text.at, format!("`{}` is not a match", text.written))
                .expected("\"[METHOD|METHOD ]PATH\", such as \"POST /orders\"");
            return None;
        }
        let methods = self.methods(text, methods.trim());
        let template = self.template(text, path_at);
        Some(Match {
            methods: methods?,
            template: template?,
            at: text.at,
        })
    }

    /// A template; spellings of other routers are told apart from literal text.
    fn template(&mut self, text: &Text, path_at: usize) -> Option<Template> {
        let path = text.as_str().get(path_at..).unwrap_or_default();
        let at = text.part(path_at..text.as_str().len());
        let express = path.split('/').find(|segment| segment.starts_with(':'));
        let star = path.split('/').any(|segment| segment.starts_with('*'));
        let (message, help) = match (Template::parse(path), express) {
            (Err(error), _) => (
                error.to_string(),
                "{name} is one segment, a last {*name} all that follow",
            ),
            (Ok(_), Some(_)) => (
                "a segment that begins with ':'".to_owned(),
                "a parameter is written {name}",
            ),
            (Ok(_), None) if star => (
                "a segment that begins with '*'".to_owned(),
                "all that follow are written {*name}",
            ),
            (Ok(template), None) => return Some(template),
        };
        self.findings.add(at, text.told(message)).help(help);
        None
    }

    fn methods(&mut self, text: &Text, words: &str) -> Option<Methods> {
        if words.is_empty() {
            return Some(Methods::Any);
        }
        let mut methods: Vec<http::Method> = Vec::new();
        for word in words.split('|') {
            let place = text.as_str().find(word).unwrap_or_default();
            let at = text.part(place..place.saturating_add(word.len()));
            let standard = METHODS.contains(&word);
            let near = nearest(word, METHODS).filter(|_| !standard);
            let upper = word
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'-');
            match http::Method::from_bytes(word.as_bytes()) {
                Ok(method) if upper && near.is_none() => {
                    if methods.contains(&method) {
                        self.findings
                            .add(at, text.told(format!("`{word}` is here twice")));
                    }
                    methods.push(method);
                }
                _ => {
                    let fault = self
                        .findings
                        .add(at, text.told(format!("`{word}` is not a method")));
                    fault.expected("methods in upper case, parted by |, such as GET|POST");
                    if let Some(near) = near {
                        fault.help(format!("did you mean `{near}`?"));
                    }
                    return None;
                }
            }
        }
        Some(Methods::Only(methods))
    }
}
