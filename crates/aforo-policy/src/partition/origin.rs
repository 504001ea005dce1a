//! Where the parts of a partition key come from.

use std::collections::BTreeMap;
use std::net::IpAddr;

use aforo_core::Timestamp;
use http::{HeaderMap, Method};
use smallvec::SmallVec;

use super::urlencoded::{Twice, decoded, field};
use super::{Bytes, Encoding, Tag, body, cookie, host, normalized};
use crate::device::Device;
use crate::{
    Alternatives, Consumer, DescriptorEntry, ExemptCookie, Facts, Normalize, Part, Policy, Refusal,
    Template, WhenMissing,
};

/// Where the parts of a partition key come from: the caller and the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'r> {
    pub(crate) address: IpAddr,
    pub(crate) ipv6_prefix: u8,
    /// A consumer whose credential was verified; nothing unverified gets here.
    pub(crate) consumer: Option<&'r Consumer>,
    /// The claims of the caller's verified token.
    pub(crate) claims: Option<&'r BTreeMap<String, String>>,
    /// None before identity and for calls without a request.
    pub(crate) facts: Option<&'r Facts<'r>>,
    /// The domain of a descriptor.
    pub(crate) domain: &'r str,
    /// The entries of a descriptor.
    pub(crate) descriptor: &'r [DescriptorEntry<'r>],
    /// What the route is counted by.
    pub(crate) route: Option<&'r [u8]>,
    /// The route's template, where the request's path has its parameters.
    pub(crate) template: Option<&'r Template>,
}

impl Origin<'_> {
    /// Writes the partition key of a policy; whether the policy applies. `group` is the template of
    /// the group that has the policy.
    pub(crate) fn encode(
        &self,
        policy: &Policy,
        group: Option<&Template>,
        encoding: &mut Encoding,
    ) -> Result<bool, Refusal> {
        for alternatives in &policy.partition_by {
            if self.push_first(encoding, alternatives, policy, group)? {
                continue;
            }
            match policy.when_missing {
                WhenMissing::Caller => self.push_caller(encoding),
                WhenMissing::Skip => return Ok(false),
                WhenMissing::Deny => {
                    return Err(Refusal::MissingPart {
                        policy: policy.name.to_string(),
                        part: alternatives.to_string(),
                    });
                }
            }
        }
        if policy.partition_by.is_empty() {
            self.push_caller(encoding);
        }
        Ok(true)
    }

    /// The account that a cookie is for; none when a part of it is absent or cannot be read.
    pub(crate) fn account(
        &self,
        cookie: &ExemptCookie,
        group: Option<&Template>,
    ) -> Option<SmallVec<[Bytes; 2]>> {
        let parts = cookie.account.iter();
        parts
            .map(|alternatives| self.account_part(alternatives, &cookie.normalize, group))
            .collect()
    }

    fn account_part(
        &self,
        alternatives: &Alternatives,
        normalize: &[Normalize],
        group: Option<&Template>,
    ) -> Option<Bytes> {
        alternatives.0.iter().find_map(|part| {
            let value = self.value(part, alternatives, group).ok()??;
            let value = normalized(&value, normalize);
            (!value.is_empty()).then(|| Bytes::from_slice(&value))
        })
    }

    /// The device that the request's cookie marks for the account that it names.
    pub(crate) fn known_device(
        &self,
        cookie: &ExemptCookie,
        group: Option<&Template>,
        now: Timestamp,
    ) -> Option<Device> {
        let (key, facts) = (cookie.key.get()?, self.facts?);
        let value = cookie::cookie(facts.headers, &cookie.name).ok()??;
        let account = self.account(cookie, group)?;
        key.device(&cookie.name, &account, value, now)
    }

    /// Adds the caller: the consumer, else the client address.
    pub(crate) fn push_caller(&self, encoding: &mut Encoding) {
        match self.consumer {
            Some(consumer) => encoding.push(Tag::Consumer, consumer.id.as_bytes()),
            None => encoding.push_address(self.address, self.ipv6_prefix),
        }
    }

    /// Adds the first alternative that is present; says whether one was.
    fn push_first(
        &self,
        encoding: &mut Encoding,
        alternatives: &Alternatives,
        policy: &Policy,
        group: Option<&Template>,
    ) -> Result<bool, Refusal> {
        for part in &alternatives.0 {
            if self.push_own(encoding, part) {
                return Ok(true);
            }
            let Some(value) = self.value(part, alternatives, group)? else {
                continue;
            };
            let value = normalized(&value, &policy.normalize);
            if !value.is_empty() {
                encoding.push(Tag::Value, &value);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds a part that the caller or the match has; says whether it was there.
    fn push_own(&self, encoding: &mut Encoding, part: &Part) -> bool {
        let mut push =
            |tag, value: Option<&[u8]>| value.map(|value| encoding.push(tag, value)).is_some();
        let consumer = self.consumer;
        match part {
            Part::Caller => self.push_caller(encoding),
            Part::ClientIp(prefix) => {
                encoding.push_address(self.address, prefix.unwrap_or(self.ipv6_prefix));
            }
            Part::Consumer => return push(Tag::Consumer, consumer.map(|one| one.id.as_bytes())),
            Part::Team => {
                let team = consumer.and_then(|one| one.team.as_ref());
                return push(Tag::Team, team.map(|team| team.name.as_bytes()));
            }
            Part::Org => {
                let org = consumer.and_then(|one| one.org.as_ref());
                return push(Tag::Org, org.map(|org| org.as_bytes()));
            }
            Part::Route => return push(Tag::Route, self.route),
            Part::Method => {
                let method = self.facts.map(|facts| method(facts.method));
                return push(Tag::Method, method.map(str::as_bytes));
            }
            Part::Host => {
                let host = self.facts.and_then(|facts| facts.host).map(host::host);
                let host = host.as_deref().filter(|host| !host.is_empty());
                return push(Tag::Host, host);
            }
            Part::Jwt(claim) => {
                let value = self.claims.and_then(|claims| claims.get(claim));
                return push(Tag::Claim, value.map(|value| value.as_bytes()));
            }
            Part::Everyone => encoding.push(Tag::Everyone, &[]),
            Part::Descriptor => return self.push_descriptor(encoding),
            Part::Header(_)
            | Part::Cookie(_)
            | Part::Query(_)
            | Part::Path(_)
            | Part::Body(_)
            | Part::Form(_)
            | Part::DescriptorEntry(_) => return false,
        }
        true
    }

    /// What the request says in a part.
    fn value(
        &self,
        part: &Part,
        alternatives: &Alternatives,
        group: Option<&Template>,
    ) -> Result<Option<Bytes>, Refusal> {
        if let Part::DescriptorEntry(key) = part {
            return self.entry(key);
        }
        let Some(facts) = self.facts else {
            return Ok(None);
        };
        let found = match part {
            Part::Header(name) => header(facts.headers, name),
            Part::Cookie(name) => {
                cookie::cookie(facts.headers, name).map(|value| value.map(Bytes::from_slice))
            }
            Part::Query(name) => field(facts.query.unwrap_or_default().as_bytes(), name),
            Part::Path(name) => Ok(self.parameter(facts, name, group)),
            Part::Body(_) | Part::Form(_) => return body::value(facts, part, alternatives),
            _ => Ok(None),
        };
        found.map_err(|Twice| Refusal::DuplicatePart {
            part: part.to_string(),
        })
    }

    /// Adds all keys and values of the descriptor; says whether there was one.
    fn push_descriptor(&self, encoding: &mut Encoding) -> bool {
        encoding.push_descriptor(self.domain, self.descriptor, self.ipv6_prefix);
        !self.descriptor.is_empty()
    }

    /// The value of the one entry with this key.
    fn entry(&self, key: &str) -> Result<Option<Bytes>, Refusal> {
        let mut values = self.descriptor.iter().filter(|entry| entry.key == key);
        let first = values.next();
        if values.next().is_some() {
            return Err(Refusal::DuplicatePart {
                part: format!("descriptor:{key}"),
            });
        }
        Ok(first.map(|entry| Bytes::from_slice(entry.value.as_bytes())))
    }

    /// A parameter of the group's template, else of the route's.
    fn parameter(&self, facts: &Facts<'_>, name: &str, group: Option<&Template>) -> Option<Bytes> {
        let path = facts.path.matched();
        let value = [group, self.template]
            .into_iter()
            .flatten()
            .find_map(|template| template.parameter(path, name))?;
        Some(decoded(value.as_bytes(), false).collect())
    }
}

/// The one value of a header.
fn header(headers: &HeaderMap, name: &http::HeaderName) -> Result<Option<Bytes>, Twice> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    match values.next() {
        Some(_) => Err(Twice),
        None => Ok(first.map(|value| Bytes::from_slice(value.as_bytes()))),
    }
}

/// A method's name: HEAD is GET, and all that a stranger can make up is one.
fn method(method: &Method) -> &str {
    match *method {
        Method::HEAD => "GET",
        Method::GET
        | Method::POST
        | Method::PUT
        | Method::DELETE
        | Method::PATCH
        | Method::OPTIONS
        | Method::CONNECT
        | Method::TRACE => method.as_str(),
        _ => "other",
    }
}
