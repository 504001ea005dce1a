//! `[[descriptors]]`.

use super::Checker;
use super::names::{Place, Use};
use crate::facts::REMOTE_ADDRESS;
use crate::file::raw::{RawDescriptor, RawEntry};
use crate::file::read::{Field, List};
use crate::file::source::Location;
use crate::{Descriptor, EntryMatch, Part, Policy, ValueMatch};

impl Checker<'_> {
    pub(super) fn descriptors(&mut self) -> Vec<Descriptor> {
        let mut descriptors: Vec<(Descriptor, Location)> = Vec::new();
        for raw in self.file.descriptors.get().into_iter().flat_map(List::iter) {
            let Some(domain) = raw.domain.get() else {
                continue;
            };
            if domain.value.is_empty() {
                self.findings
                    .add(domain.at, "a domain without a name")
                    .expected("the `domain` of Envoy's rate limit filter");
            }
            let Some(entries) = self.entry_matches(raw) else {
                continue;
            };
            let used = Use::Descriptor(place(&entries));
            let descriptor = Descriptor {
                domain: domain.value.clone(),
                policies: self.policies(&raw.policies, &used),
                entries,
            };
            self.check_descriptor_once(&descriptor, raw.place, &descriptors);
            descriptors.push((descriptor, raw.place));
        }
        descriptors.into_iter().map(|(one, _)| one).collect()
    }

    /// Two tables for the same descriptors: which of them applies would be anybody's guess.
    fn check_descriptor_once(
        &mut self,
        descriptor: &Descriptor,
        at: Location,
        known: &[(Descriptor, Location)],
    ) {
        let same = |(other, _): &&(Descriptor, Location)| {
            other.domain == descriptor.domain && other.entries == descriptor.entries
        };
        if let Some((_, first)) = known.iter().find(same) {
            self.findings
                .add(at, "another table is for the same descriptor")
                .also(*first, "the first one is here")
                .help("exactly one table applies to a descriptor; join the two");
        }
    }

    fn entry_matches(&mut self, raw: &RawDescriptor) -> Option<Vec<EntryMatch>> {
        let list = raw.entries.get()?;
        if list.empty {
            self.findings
                .add(list.at, "a descriptor without entries")
                .expected("entries such as [{ key = \"remote_address\" }]");
            return None;
        }
        let entries: Option<Vec<EntryMatch>> =
            list.iter().map(|entry| self.entry_match(entry)).collect();
        entries.filter(|entries| !entries.is_empty())
    }

    fn entry_match(&mut self, raw: &RawEntry) -> Option<EntryMatch> {
        let key = raw.key.get()?;
        if key.value.is_empty() {
            self.findings.add(key.at, "an entry without a key");
            return None;
        }
        let value = match &raw.value {
            Field::Absent => Some(ValueMatch::Any),
            Field::Wrong => None,
            Field::Given(text) => match text.as_str() {
                "" | "*" => {
                    self.findings
                        .add(text.at, format!("`{}` is not a value", text.written))
                        .help("leave `value` out for any value");
                    None
                }
                value => match value.strip_suffix('*').unwrap_or(value) {
                    stem if stem.contains('*') => {
                        self.findings
                            .add(text.at, format!("`{}` has a * inside", text.written))
                            .expected("a whole value, or its beginning and a last *");
                        None
                    }
                    stem if stem.len() < value.len() => Some(ValueMatch::Prefix(stem.to_owned())),
                    whole => Some(ValueMatch::Exact(whole.to_owned())),
                },
            },
        };
        Some(EntryMatch {
            key: key.value.clone(),
            value: value?,
        })
    }

    /// A policy of a descriptor counts by what descriptors have. Whatever they lack would put
    /// strangers into one bucket.
    pub(super) fn check_described(&mut self, policy: &Policy, place: &Place, at: Location) {
        let has_key = |key: &str| place.parameters.iter().any(|known| known == key);
        for alternatives in &policy.partition_by {
            let is_there = alternatives.0.iter().any(|part| match part {
                Part::Descriptor | Part::Everyone => true,
                Part::DescriptorEntry(key) => has_key(key),
                Part::ClientIp(_) => has_key(REMOTE_ADDRESS),
                _ => false,
            });
            if is_there {
                continue;
            }
            let keys: Vec<String> = place
                .parameters
                .iter()
                .map(|key| format!("descriptor:{key}"))
                .collect();
            self.findings
                .add(
                    at,
                    format!(
                        "`{}` counts by {alternatives}, which this descriptor has not",
                        policy.name
                    ),
                )
                .expected(format!(
                    "descriptor, everyone, {}; client_ip beside the key remote_address",
                    keys.join(", ")
                ));
        }
    }
}

/// The place that entries make, for names and parts.
fn place(entries: &[EntryMatch]) -> Place {
    let words = entries.iter().map(|entry| match &entry.value {
        ValueMatch::Exact(value) | ValueMatch::Prefix(value) => format!("{}-{value}", entry.key),
        ValueMatch::Any => entry.key.clone(),
    });
    let plain = |letter: char| match letter.to_ascii_lowercase() {
        kept @ ('a'..='z' | '0'..='9' | '.' | '_' | '-') => kept,
        _ => '-',
    };
    let words: Vec<String> = words.collect();
    Place {
        name: words.join("-").chars().map(plain).collect(),
        parameters: entries.iter().map(|entry| entry.key.clone()).collect(),
    }
}
