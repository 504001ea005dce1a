//! What a policy counts by.

use std::ops::Range;

use super::Checker;
use crate::file::nearest::nearest;
use crate::file::raw::RawPolicy;
use crate::file::read::{List, Text};
use crate::file::source::Location;
use crate::{Alternatives, Part};

/// The parts that are one word.
const WORDS: [&str; 10] = [
    "caller",
    "consumer",
    "team",
    "org",
    "client_ip",
    "route",
    "method",
    "host",
    "everyone",
    "descriptor",
];
/// The parts that take a name.
const PREFIXES: [&str; 8] = [
    "header",
    "cookie",
    "query",
    "path",
    "body",
    "form",
    "jwt",
    "descriptor",
];

/// Why a text is not a part.
struct PartError {
    message: String,
    help: Option<String>,
}

impl Part {
    /// Whether it comes from what a caller writes, so that it can be normalised.
    pub(super) const fn is_from_request(&self) -> bool {
        matches!(
            self,
            Self::Header(_)
                | Self::Cookie(_)
                | Self::Query(_)
                | Self::Path(_)
                | Self::Body(_)
                | Self::Form(_)
                | Self::DescriptorEntry(_)
        )
    }

    /// Whether every request has it.
    const fn is_always_there(&self) -> bool {
        matches!(
            self,
            Self::Caller | Self::ClientIp(_) | Self::Method | Self::Everyone
        )
    }
}

impl Checker<'_> {
    /// The parts of `partition_by`, with their places.
    pub(super) fn partition(&mut self, raw: &RawPolicy) -> Vec<(Alternatives, Location)> {
        let mut parts: Vec<(Alternatives, Location)> = Vec::new();
        let Some(list) = raw.partition_by.get() else {
            self.check_normalize(raw, &parts);
            return parts;
        };
        if list.empty {
            self.findings
                .add(list.at, "a policy that counts by nothing")
                .expected("a part such as \"caller\"")
                .help("\"everyone\" is one bucket for all");
        }
        parts.extend(self.parts(list));
        self.check_normalize(raw, &parts);
        parts
    }

    /// The parts of a list, with their places.
    pub(super) fn parts(&mut self, list: &List<Text>) -> Vec<(Alternatives, Location)> {
        let mut parts: Vec<(Alternatives, Location)> = Vec::new();
        for text in list.iter() {
            let Some(alternatives) = self.alternatives(text) else {
                continue;
            };
            if parts.iter().any(|(known, _)| *known == alternatives) {
                self.findings
                    .add(text.at, format!("`{}` is here twice", text.written));
            }
            parts.push((alternatives, text.at));
        }
        parts
    }

    fn check_normalize(&mut self, raw: &RawPolicy, parts: &[(Alternatives, Location)]) {
        let Some(normalize) = raw.normalize.get().filter(|list| !list.empty) else {
            return;
        };
        let mut all = parts.iter().flat_map(|(part, _)| &part.0);
        let wrong = raw.partition_by.get().is_some() && parts.is_empty();
        let cookie = raw.exempt_cookie.get();
        let names_account = cookie.is_some_and(|cookie| !cookie.account.is_absent());
        if !wrong && !names_account && !all.any(Part::is_from_request) {
            self.findings
                .add(normalize.at, "`normalize` has nothing to work on")
                .expected("a part that comes from the request, such as body:/email")
                .help("leave it out");
        }
    }

    /// Alternatives parted by `|`.
    fn alternatives(&mut self, text: &Text) -> Option<Alternatives> {
        let mut parts: Vec<Part> = Vec::new();
        let mut whole = true;
        for (word, range) in words(text.as_str()) {
            let at = text.part(range);
            if let Some(first) = parts.iter().find(|part| part.is_always_there()) {
                let _ = first;
                self.findings
                    .add(at, text.told(format!("`{word}` is never reached")))
                    .help("what stands before it is always there");
            }
            match part(word) {
                Ok(part) => parts.push(part),
                Err(error) => {
                    whole = false;
                    self.wrong_part(text, at, error);
                }
            }
        }
        whole.then_some(Alternatives(parts))
    }

    fn wrong_part(&mut self, text: &Text, at: Location, error: PartError) {
        let PartError { message, help } = error;
        let names = PREFIXES.map(|prefix| match prefix {
            "body" => "body:/POINTER".to_owned(),
            "descriptor" => "descriptor:KEY".to_owned(),
            other => format!("{other}:NAME"),
        });
        let fault = self.findings.add(at, text.told(message));
        fault.expected(format!(
            "{}, client_ip/48, {}",
            WORDS.join(", "),
            names.join(", ")
        ));
        if let Some(help) = help {
            fault.help(help);
        }
    }
}

/// The alternatives of a text, with their bytes.
fn words(text: &str) -> Vec<(&str, Range<usize>)> {
    let mut words = Vec::new();
    let mut start = 0usize;
    for piece in text.split('|') {
        let lead = piece.len().saturating_sub(piece.trim_start().len());
        let word = piece.trim();
        let from = start.saturating_add(lead);
        words.push((word, from..from.saturating_add(word.len())));
        start = start.saturating_add(piece.len()).saturating_add(1);
    }
    words
}

const fn unknown(message: String) -> PartError {
    PartError {
        message,
        help: None,
    }
}

fn part(word: &str) -> Result<Part, PartError> {
    if let Some((prefix, name)) = word.split_once(':') {
        return named_part(word, prefix, name);
    }
    if let Some(bits) = word.strip_prefix("client_ip/") {
        let bits = bits
            .parse::<u8>()
            .ok()
            .filter(|bits| (1..=128).contains(bits));
        return match bits {
            Some(bits) => Ok(Part::ClientIp(Some(bits))),
            None => Err(unknown(format!(
                "`{word}` is not a prefix of 1 to 128 bits"
            ))),
        };
    }
    Ok(match word {
        "caller" => Part::Caller,
        "consumer" => Part::Consumer,
        "team" => Part::Team,
        "org" => Part::Org,
        "client_ip" => Part::ClientIp(None),
        "route" => Part::Route,
        "method" => Part::Method,
        "host" => Part::Host,
        "everyone" => Part::Everyone,
        "descriptor" => Part::Descriptor,
        other => {
            let near = nearest(other, WORDS).or_else(|| nearest(other, PREFIXES));
            let help = near.map(|near| match PREFIXES.contains(&near) {
                true => format!("`{near}` takes a name: {near}:NAME"),
                false => format!("did you mean `{near}`?"),
            });
            return Err(PartError {
                message: format!("`{other}` is not a part that a policy can count by"),
                help,
            });
        }
    })
}

fn named_part(word: &str, prefix: &str, name: &str) -> Result<Part, PartError> {
    let malformed = || unknown(format!("`{word}` does not name a {prefix}"));
    if PREFIXES.contains(&prefix) && name.is_empty() {
        return Err(malformed());
    }
    Ok(match prefix {
        "header" => Part::Header(name.parse().map_err(|_| malformed())?),
        "cookie" => Part::Cookie(name.to_owned()),
        "query" => Part::Query(name.to_owned()),
        "path" => Part::Path(name.to_owned()),
        "form" => Part::Form(name.to_owned()),
        "jwt" => Part::Jwt(name.to_owned()),
        "descriptor" => Part::DescriptorEntry(name.to_owned()),
        "body" if is_pointer(name) => Part::Body(name.to_owned()),
        "body" => {
            return Err(PartError {
                message: format!("`{name}` is not a JSON pointer"),
                help: Some(format!("a pointer begins with a slash: body:/{name}")),
            });
        }
        other => {
            let help = nearest(other, PREFIXES).map(|near| format!("did you mean `{near}:`?"));
            return Err(PartError {
                message: format!("`{word}` is not a part that a policy can count by"),
                help,
            });
        }
    })
}

/// A JSON pointer to something inside a document (RFC 6901).
pub(super) fn is_pointer(text: &str) -> bool {
    let escapes_are_right = text
        .split('~')
        .skip(1)
        .all(|after| after.starts_with(['0', '1']));
    text.starts_with('/') && escapes_are_right
}
