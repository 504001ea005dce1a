//! `[[consumers]]` and their overrides.

use std::collections::BTreeMap;
use std::sync::Arc;

use aforo_core::Timestamp;
use toml::value::{Datetime, Offset};

use super::Checker;
use super::names::Use;
use crate::file::nearest::nearest;
use crate::file::raw::{RawConsumer, RawOverride};
use crate::file::read::{Field, List, Located, Text};
use crate::file::source::Location;
use crate::{Consumer, Identity, Override, Plan, Team};

/// SHA-256 of nothing: what is left when a key was lost on its way into the hash.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// Bytes that an id may have.
const LONGEST_ID: usize = 256;

/// What has to be unique among consumers.
#[derive(Default)]
struct Taken {
    ids: BTreeMap<String, Location>,
    hashes: BTreeMap<[u8; 32], Location>,
}

impl Checker<'_> {
    pub(super) fn consumers(
        &mut self,
        plans: &BTreeMap<String, Arc<Plan>>,
        teams: &BTreeMap<String, Arc<Team>>,
        identity: &Identity,
    ) -> BTreeMap<String, Arc<Consumer>> {
        let mut consumers = BTreeMap::new();
        let mut taken = Taken::default();
        for raw in self.file.consumers.get().into_iter().flat_map(List::iter) {
            self.check_id(raw, &mut taken);
            if let Some(plan) = raw.plan.get() {
                self.check_plan(plan);
            } else if identity.default_plan.is_none() && !plans.is_empty() && raw.plan.is_absent() {
                self.findings
                    .add(raw.place, "a consumer without a plan")
                    .help("give it a plan, or name one as default_plan in [identity]");
            }
            let team = self.team(raw, teams);
            let api_key_sha256 = self.hashes(raw, identity, &mut taken);
            let plan = raw.plan.get().and_then(|name| plans.get(name.as_str()));
            let default_plan = identity.default_plan.as_deref();
            let overrides = self.overrides(raw, default_plan);
            let Some(id) = raw.id.get() else {
                continue;
            };
            let consumer = Consumer {
                id: id.value.clone(),
                plan: plan.cloned(),
                team,
                org: super::text(&raw.org),
                contact: super::text(&raw.contact),
                api_key_sha256,
                overrides,
            };
            consumers.insert(id.value.clone(), Arc::new(consumer));
        }
        consumers
    }

    fn check_id(&mut self, raw: &RawConsumer, taken: &mut Taken) {
        let Some(id) = raw.id.get() else {
            return;
        };
        let printable = id.value.chars().all(|letter| !letter.is_control());
        if id.value.is_empty() || id.value.len() > LONGEST_ID || !printable {
            self.findings
                .add(id.at, "this is not a consumer's id")
                .expected("1 to 256 bytes without control characters");
        }
        match taken.ids.get(&id.value) {
            Some(first) => {
                self.findings
                    .add(
                        id.at,
                        format!("another consumer has the id `{}`", id.written),
                    )
                    .also(*first, "the first one is here");
            }
            None => {
                taken.ids.insert(id.value.clone(), id.at);
            }
        }
    }

    fn team(
        &mut self,
        raw: &RawConsumer,
        teams: &BTreeMap<String, Arc<Team>>,
    ) -> Option<Arc<Team>> {
        let name = raw.team.get()?;
        let team = teams.get(name.as_str());
        if team.is_none() && !matches!(self.file.teams, Field::Wrong) {
            let near = nearest(name.as_str(), teams.keys().map(String::as_str));
            let fault = self
                .findings
                .add(name.at, format!("there is no team `{}`", name.written));
            fault.expected("a team of [teams]");
            if let Some(near) = near {
                fault.help(format!("did you mean `{near}`?"));
            }
        }
        team.cloned()
    }

    fn hashes(
        &mut self,
        raw: &RawConsumer,
        identity: &Identity,
        taken: &mut Taken,
    ) -> Vec<[u8; 32]> {
        let mut hashes = Vec::new();
        for text in raw.api_key_sha256.get().into_iter().flat_map(List::iter) {
            if identity.api_key.is_empty() {
                self.findings
                    .add(text.at, "no API keys are read")
                    .help("name a header as api_key in [identity]");
            }
            let Some(hash) = hash(text.as_str()) else {
                self.findings
                    .add(text.at, "this is not a SHA-256")
                    .expected("64 hex digits")
                    .help("printf %s \"$KEY\" | sha256sum");
                continue;
            };
            if text.value.eq_ignore_ascii_case(EMPTY) {
                self.findings
                    .add(text.at, "this is the SHA-256 of nothing")
                    .help("the key was empty when it was hashed");
            }
            if let Some(first) = taken.hashes.get(&hash) {
                self.findings
                    .add(text.at, "this API key is here twice")
                    .also(*first, "the first one is here")
                    .help("an API key names one consumer");
            }
            taken.hashes.entry(hash).or_insert(text.at);
            hashes.push(hash);
        }
        hashes
    }

    fn overrides(&mut self, raw: &RawConsumer, default_plan: Option<&str>) -> Vec<Override> {
        let mut overrides = Vec::new();
        let mut taken: BTreeMap<String, Location> = BTreeMap::new();
        for one in raw.overrides.get().into_iter().flat_map(List::iter) {
            let Some(policy) = one.policy.get() else {
                continue;
            };
            if let Some(first) = taken.get(&policy.value) {
                self.findings
                    .add(
                        policy.at,
                        format!("`{}` is overridden twice", policy.written),
                    )
                    .also(*first, "the first one is here");
            }
            taken.entry(policy.value.clone()).or_insert(policy.at);
            self.check_overridden(policy, raw, default_plan);
            overrides.extend(self.one_override(one, policy));
        }
        overrides
    }

    fn one_override(&mut self, raw: &RawOverride, policy: &Text) -> Option<Override> {
        let until = raw.until.get().map(|until| self.end(until));
        let allowance = self.replaced(policy.as_str(), raw.quota.get()?)?;
        Some(Override {
            policy: policy.value.clone(),
            allowance,
            from: None,
            until: until.flatten(),
            reason: super::text(&raw.reason),
        })
    }

    /// That the overridden policy exists and can apply to the consumer.
    fn check_overridden(&mut self, policy: &Text, raw: &RawConsumer, default_plan: Option<&str>) {
        let Some(known) = self.names.0.get(policy.as_str()) else {
            let near = nearest(policy.as_str(), self.names.0.keys().map(String::as_str));
            let near = near.map(str::to_owned);
            let fault = self.findings.add(
                policy.at,
                format!("there is no policy `{}`", policy.written),
            );
            fault.expected("a policy's name, such as pro-minute");
            if let Some(near) = near {
                fault.help(format!("did you mean `{near}`?"));
            }
            return;
        };
        let plan = raw.plan.get().map(Text::as_str).or(default_plan);
        let team = raw.team.get().map(Text::as_str);
        let applies = |used: &Use| match used {
            Use::Plan(name) => Some(name.as_str()) == plan,
            Use::Team(name) => Some(name.as_str()) == team,
            Use::Edge | Use::Descriptor(_) => false,
            Use::Group(_) | Use::Route(_) => true,
        };
        let first = known.at;
        let mut uses = known
            .uses
            .iter()
            .filter(|(used, _)| applies(used))
            .peekable();
        if uses.peek().is_some() && !uses.any(|(_, apart)| *apart) {
            self.findings
                .add(
                    policy.at,
                    format!("`{}` is shared with others", policy.written),
                )
                .also(first, "the policy is here")
                .help("only a policy that counts by caller or consumer can be overridden for one");
        } else if !known.uses.iter().any(|(used, _)| applies(used)) && !known.uses.is_empty() {
            self.findings
                .add(
                    policy.at,
                    format!("`{}` never applies to this consumer", policy.written),
                )
                .also(first, "the policy is here")
                .help("override a policy of the consumer's own plan or team, of a group or of a route");
        }
    }

    /// The first instant at which an override no longer holds.
    fn end(&mut self, until: &Located<Datetime>) -> Option<Timestamp> {
        let end = instant(&until.value);
        if end.is_none() {
            self.findings
                .add(until.at, format!("`{}` is not an end", until.value))
                .expected("a day such as 2027-01-31 (UTC, the whole day), or an instant with its offset such as 2027-01-31T12:00:00Z");
        }
        end
    }
}

fn hash(text: &str) -> Option<[u8; 32]> {
    let mut hash = [0u8; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (index, byte) in hash.iter_mut().enumerate() {
        let start = index.saturating_mul(2);
        let digits = text.get(start..start.saturating_add(2))?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(hash)
}

/// A date is its whole day in UTC; a date with a time needs its offset.
fn instant(value: &Datetime) -> Option<Timestamp> {
    let date = value.date?;
    let year = i16::try_from(date.year).ok()?;
    let month = i8::try_from(date.month).ok()?;
    let day = i8::try_from(date.day).ok()?;
    let date = jiff::civil::Date::new(year, month, day).ok()?;
    let (civil, minutes) = match (value.time, value.offset) {
        (None, None) => (
            date.tomorrow()
                .ok()?
                .to_datetime(jiff::civil::Time::midnight()),
            0,
        ),
        (Some(time), Some(offset)) => {
            let hour = i8::try_from(time.hour).ok()?;
            let minute = i8::try_from(time.minute).ok()?;
            let second = i8::try_from(time.second.unwrap_or(0)).ok()?;
            let nanosecond = i32::try_from(time.nanosecond.unwrap_or(0)).ok()?;
            let minutes = match offset {
                Offset::Z => 0,
                Offset::Custom { minutes } => i64::from(minutes),
            };
            let time = jiff::civil::Time::new(hour, minute, second, nanosecond).ok()?;
            (date.to_datetime(time), minutes)
        }
        _ => return None,
    };
    let utc = jiff::tz::TimeZone::UTC;
    let micros = utc.to_timestamp(civil).ok()?.as_microsecond();
    let micros = micros.checked_sub(minutes.checked_mul(60_000_000)?)?;
    u64::try_from(micros).ok().map(Timestamp::from_micros)
}
